/** Faults: those of the upstream, and those that the gateway makes itself (design/policy.md, Faults). */
import { describe, expect, it } from '@jest/globals';
import { codes, type Code } from '#src/core/codes.js';
import { CountersignError } from '#src/core/errors.js';
import { gatewayFault, newExchange, secureFault } from '#src/pipeline/index.js';
import { findEnvelope } from '#src/xml/index.js';
import { bench, check, order, process, protect, type ChainOptions, type StepText } from '../support/chain.js';
import { outcome, parseMessage, soap } from '../support/toolkit.js';

const b = await bench();

const fault11 =
  '<soap:Fault><faultcode>soap:Server</faultcode><faultstring>no stock</faultstring>' +
  '<faultactor>urn:x</faultactor><detail><o:secret xmlns:o="urn:orders">42</o:secret></detail></soap:Fault>';
const fault12 =
  '<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code>' +
  '<soap:Reason><soap:Text xml:lang="en">no stock</soap:Text></soap:Reason>' +
  '<soap:Role>urn:x</soap:Role><soap:Detail><o:secret xmlns:o="urn:orders">42</o:secret></soap:Detail></soap:Fault>';

const response = (options: ChainOptions = {}): ChainOptions => ({ kind: 'response', ...options });
const run = (
  list: readonly StepText[],
  message: string,
  options?: ChainOptions,
): ReturnType<typeof process> => process(b.chain(list, options), message);
const verdict = (list: readonly StepText[], message: string, options?: ChainOptions): Promise<string> =>
  outcome(() => run(list, message, options));

describe("the upstream's own faults", () => {
  it('pass when they are protected in full, and are said to be faults', async () => {
    const secured = await run(protect, soap(fault11));
    const checked = await run([...check, { strip: { ids: true } }], secured.text, response());
    expect(checked.text).toBe(soap(fault11));
    expect(checked.fault).toBe(true);
    expect(checked.exchange.response.operation).toBe('soap:Fault');
  });

  it('are refused when the policy does not cover them; the operator sees code and text', async () => {
    const error: unknown = await run(check, soap(fault11), response()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'UPSTREAM_FAULT_UNPROTECTED',
      message: expect.stringContaining('soap:Server: “no stock”'),
      details: { faultCode: 'soap:Server', faultText: 'no stock' },
    });
    const twelve: unknown = await run(check, soap(fault12, undefined, '1.2'), response()).catch(
      (thrown: unknown) => thrown,
    );
    expect(twelve).toMatchObject({ details: { faultCode: 'soap:Receiver', faultText: 'no stock' } });
  });

  it('a broken signature on a fault stays what it is', async () => {
    const { text } = await run(protect.slice(0, 2), soap(fault11));
    expect(await verdict(check.slice(1), text.replace('no stock', 'stock'), response())).toBe(
      'DIGEST_MISMATCH',
    );
    expect(await verdict(check.slice(1), text, response())).toBe('accepted');
  });

  describe('on-fault: allow-unencrypted', () => {
    const options = response({ onFault: 'allow-unencrypted' });

    it('takes a signed fault in clear, and counts it', async () => {
      const { text } = await run(protect.slice(0, 2), soap(fault11));
      const { exchange } = await run(check, text, options);
      expect(exchange.response.counts.get('fault-allow-unencrypted')).toBe(1);
      expect(await verdict(check, text, response())).toBe('UPSTREAM_FAULT_UNPROTECTED');
    });

    it('but no unsigned fault, and no answer in clear that is none', async () => {
      expect(await verdict(check, soap(fault11), options)).toBe('UPSTREAM_FAULT_UNPROTECTED');
      const { text } = await run(protect.slice(0, 2), soap(order));
      expect(await verdict(check, text, options)).toBe('PART_NOT_ENCRYPTED');
    });
  });

  describe.each(['1.1', '1.2'] as const)('on-fault: allow-unsigned (SOAP %s)', (version) => {
    const fault = version === '1.1' ? fault11 : fault12;
    const message = soap(fault, '<x:h xmlns:x="urn:x"/>', version);

    it('lets code and reason pass, nothing else', async () => {
      const {
        text,
        exchange,
        fault: isFault,
      } = await run(check, message, response({ onFault: 'allow-unsigned' }));
      expect(text).toContain('no stock');
      expect(text).not.toMatch(/secret|urn:x|Header/);
      expect(isFault).toBe(true);
      expect(exchange.response.counts.get('fault-allow-unsigned')).toBe(1);
      expect(findEnvelope(parseMessage(text)).version).toBe(version);
    });

    it('comments, attributes and what stands around the root do not pass', async () => {
      const told = message
        .replace(/^/, '<?xml version="1.0"?><!-- secret -->')
        .replace(/$/, '<!-- secret -->')
        .replace('<soap:Envelope ', '<soap:Envelope soap:encodingStyle="urn:secret" ')
        .replace('<soap:Body>', '<soap:Body xmlns:s="urn:s" s:a="secret"><!-- secret -->')
        .replace('<soap:Fault>', '<soap:Fault s:a="secret"><!-- secret -->')
        .replace(/<(faultcode|soap:Code)>/, '<$1 s:a="secret">')
        .replace(/<(soap:Value)>/, '<!-- secret --><$1 s:a="secret">')
        .replace(/<(faultstring|soap:Text)/, '<$1 s:a="secret"');
      expect(told.match(/secret/g)?.length).toBeGreaterThan(8);
      const { text } = await run(check, told, response({ onFault: 'allow-unsigned' }));
      expect(text).not.toContain('secret');
      expect(text).toContain('no stock');
      expect(text.includes('xml:lang="en"')).toBe(version === '1.2');
      const plain = await run(check, message, response({ onFault: 'allow-unsigned' }));
      expect(text.replace(' xmlns:s="urn:s"', '')).toBe(plain.text);
    });

    it('keeps the namespace of a code', async () => {
      const own = message.replace(
        /<(faultcode|soap:Value)>[^<]*/,
        '<$1 xmlns:c="urn:codes" c:why="secret">c:Stock',
      );
      expect(own).not.toBe(message);
      const { text } = await run(check, own, response({ onFault: 'allow-unsigned' }));
      expect(text).not.toContain('secret');
      expect(text).toContain('xmlns:c="urn:codes">c:Stock<');
    });

    it('with-detail: detail passes too', async () => {
      const { text } = await run(check, message, response({ onFault: 'allow-unsigned-with-detail' }));
      expect(text).toContain('secret');
      expect(text).not.toMatch(/urn:x|Header/);
    });

    it.each([
      ['text in the Fault', (text: string) => text.replace('<soap:Fault>', '<soap:Fault>pay to 42')],
      ['text in the Body', (text: string) => text.replace('<soap:Fault>', 'pay to 42<soap:Fault>')],
      [
        'a code twice',
        (text: string) => text.replace(/(<faultcode>.*<\/faultcode>|<soap:Code>.*<\/soap:Code>)/, '$1$1'),
      ],
      [
        'a comment in the text of the reason',
        (text: string) => text.replace(/(<\/faultstring>|<\/soap:Text>)/, '<!-- 42 -->$1'),
      ],
      [
        'CDATA in the code',
        (text: string) => text.replace(/(<\/faultcode>|<\/soap:Value>)/, '<![CDATA[42]]>$1'),
      ],
      [
        'a stranger in the reason',
        (text: string) =>
          text.replace(/(<\/faultstring>|<\/soap:Reason>)/, '<o:secret xmlns:o="urn:o">42</o:secret>$1'),
      ],
      [
        'a stranger in the code',
        (text: string) =>
          text.replace(/(<\/faultcode>|<\/soap:Code>)/, '<o:secret xmlns:o="urn:o">42</o:secret>$1'),
      ],
    ])('nothing else passes within them either: %s', async (_name, change) => {
      const options = response({ onFault: 'allow-unsigned' });
      expect(await verdict(check, message, options)).toBe('accepted');
      expect(change(message)).not.toBe(message);
      expect(await verdict(check, change(message), options)).toBe('SOAP_STRUCTURE');
    });

    it('a fault with a Security header for our role must pass in full', async () => {
      const { text } = await run(protect, soap(fault, undefined, version));
      const options = response({ onFault: 'allow-unsigned' });
      expect(await verdict(check, text, options)).toBe('accepted');
      const spoilt = text.replace(/<wsu:Timestamp.*<\/wsu:Timestamp>/s, '');
      expect(await verdict(check, spoilt, options)).not.toBe('accepted');
    });

    it('an answer that is not a fault is not let through by it', async () => {
      const options = response({ onFault: 'allow-unsigned' });
      expect(await verdict(check, soap(order, undefined, version), options)).toBe('HEADER_MISSING');
      const besides = soap(fault + order, undefined, version);
      expect(await verdict(check, besides, options)).toBe('HEADER_MISSING');
    });

    it('is for responses only', async () => {
      expect(await verdict(check, message, { onFault: 'allow-unsigned' })).toBe('HEADER_MISSING');
    });
  });

  it('outbound, parts other than body and timestamp are as if marked ?', async () => {
    const list = [{ sign: { key: 'server', parts: ['body', 'header/wsa:To'] } }];
    expect(await verdict(list, soap(fault11), response())).toBe('accepted');
    expect(await verdict(list, soap(order), response())).toBe('PART_MISSING');
  });
});

describe('gatewayFault', () => {
  const every = Object.keys(codes) as Code[];

  it.each(['1.1', '1.2'] as const)(
    'is a fault of SOAP %s for every code, and says no more than its kind',
    (version) => {
      const seen = new Map<string, Set<string>>();
      for (const code of every) {
        const error = new CountersignError(code, 'what only the operator sees', {
          details: { step: 'verify' },
        });
        const { bytes, status } = gatewayFault(error, version, '01J');
        const text = Buffer.from(bytes).toString();
        const document = parseMessage(text);
        const envelope = findEnvelope(document);
        expect(envelope.version).toBe(version);
        expect(document.is(document.firstChild(envelope.body), envelope.namespace, 'Fault')).toBe(true);
        expect(text).toContain('(reference 01J)');
        expect(text).not.toContain('operator');
        expect(status).toBeGreaterThanOrEqual(400);
        const texts = seen.get(codes[code].kind) ?? new Set();
        seen.set(codes[code].kind, texts.add(text));
      }
      for (const texts of seen.values()) expect(texts.size).toBe(1);
    },
  );

  const faultOf = (code: Code, version: '1.1' | '1.2', details = {}): string => {
    const { bytes, status } = gatewayFault(new CountersignError(code, 'x', { details }), version, '1');
    return `${status} ${Buffer.from(bytes).toString()}`;
  };

  it.each<[Code, '1.1' | '1.2', RegExp]>([
    ['DIGEST_MISMATCH', '1.1', /^500 .*<faultcode xmlns:wsse="[^"]*">wsse:FailedCheck</],
    ['DECRYPT_FAILED', '1.2', /^400 .*env:Sender.*wsse:FailedCheck/],
    ['TIMESTAMP_EXPIRED', '1.1', /^500 .*wsu:MessageExpired/],
    ['MUST_UNDERSTAND', '1.1', /^500 .*soap:MustUnderstand/],
    ['XML_DOCTYPE', '1.1', /^500 .*soap:Client/],
    ['XML_DOCTYPE', '1.2', /^400 .*env:Sender/],
    ['INTERNAL', '1.1', /^500 .*soap:Server/],
    ['UPSTREAM_UNREACHABLE', '1.1', /^502 .*soap:Server.*send a new message/],
    ['UPSTREAM_TIMEOUT', '1.2', /^504 .*env:Receiver/],
  ])('%s in SOAP %s', (code, version, expected) => {
    expect(faultOf(code, version)).toMatch(expected);
  });

  it('after a private key was used, everything that the sender did wrong is one failed check', () => {
    const plain = faultOf('DECRYPT_FAILED', '1.1', { afterKey: true });
    for (const code of [
      'TIMESTAMP_EXPIRED',
      'SOAP_STRUCTURE',
      'XML_ID_DUPLICATE',
      'DIGEST_MISMATCH',
    ] as const) {
      expect(faultOf(code, '1.1', { afterKey: true })).toBe(plain);
    }
    expect(faultOf('INTERNAL', '1.1', { afterKey: true })).not.toBe(plain);
  });
});

describe('secureFault', () => {
  const fault = gatewayFault(new CountersignError('DIGEST_MISMATCH', 'x'), '1.1', '1').bytes;
  const list = [
    'timestamp',
    { sign: { key: 'server', parts: ['timestamp', 'body', 'header/wsa:RelatesTo'] } },
    { encrypt: { to: 'request-signer', parts: ['body/content'] } },
  ];

  it("runs the response chain's timestamp and sign, never encrypt", async () => {
    const { bytes: secured, failure } = await secureFault(
      b.chain(list, response()),
      fault,
      newExchange('1', 'orders'),
    );
    expect(failure).toBeUndefined();
    const text = Buffer.from(secured).toString();
    expect(text).toContain('wsse:FailedCheck');
    expect(text).not.toContain('EncryptedData');
    const verify = [{ verify: { trust: 'servers', parts: ['timestamp', 'body'] } }, 'check-timestamp'];
    expect(await verdict(verify, text, response())).toBe('accepted');
  });

  it('leaves the fault as it is where the chain is inbound, empty, or cannot sign, and says why not', async () => {
    const exchange = newExchange('1', 'orders');
    const asItIs = { bytes: fault, failure: undefined };
    expect(await secureFault(undefined, fault, exchange)).toEqual(asItIs);
    expect(await secureFault(b.chain(check, response()), fault, exchange)).toEqual(asItIs);
    const expired = b.chain([{ sign: { key: 'expired', parts: ['body'] } }], response());
    const unsigned = await secureFault(expired, fault, exchange);
    expect(unsigned.bytes).toBe(fault);
    expect(unsigned.failure).toMatchObject({ code: 'SIGNER_CERTIFICATE_EXPIRED', details: { step: 'sign' } });
  });
});
