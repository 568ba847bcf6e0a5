/**
 * The one generator of bench documents: SOAP 1.1 purchase orders with the namespaces on the root, unsorted attributes,
 * self-closing tags, line breaks, and text of which about 5 % is not ASCII. Deterministic.
 */
export const sizes = [
  { name: '1 KB', bytes: 1024 },
  { name: '10 KB', bytes: 10 * 1024 },
  { name: '100 KB', bytes: 100 * 1024 },
  { name: '1 MB', bytes: 1024 * 1024 },
];

const head = `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soap:Header/>
<soap:Body><po:order xmlns:po="urn:example:purchase-order" xmlns:a="urn:example:address" number="4711" currency="EUR" a:region="north">
`;
const tail = `</po:order></soap:Body>
</soap:Envelope>`;

const words = [
  'steel',
  'bolt',
  'M8',
  'galvanised',
  'Schraube',
  'größe',
  'façade',
  'norm',
  'DIN 933',
  'Stück',
  'box',
  'pallet',
  'ящик',
];

function item(at) {
  const word = (offset) => words[(at * 7 + offset * 3) % words.length];
  return `  <po:item unit="box" quantity="${(at * 37) % 100}" sku="A-${1000 + at}" a:zone="z${at % 9}">
    <po:name>${word(0)} ${word(1)} ${word(2)} no. ${at}</po:name>
    <po:price net="${(at * 13) % 997}.50" gross="${(at * 17) % 997}.90"/>
    <po:note/>
    <a:place country="DE">Straße ${at}, ${word(3)} &amp; Co.</a:place>
  </po:item>
`;
}

/** A message whose bytes are about \`bytes\` long, never longer by more than one item. */
export function document(bytes) {
  const parts = [head];
  let length = head.length + tail.length;
  for (let at = 0; length < bytes - 120; at++) {
    const next = item(at);
    parts.push(next);
    length += Buffer.byteLength(next);
  }
  parts.push(tail);
  return Buffer.from(parts.join(''), 'utf8');
}
