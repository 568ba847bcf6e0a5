import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeAll, post, serviceConfig, startGateway, startUpstream } from '../support/gateway.js';

afterEach(closeAll);

const wsdl = (address: string, imports = ''): string => `<?xml version="1.0"?>
<?style none?>
<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:s12='http://schemas.xmlsoap.org/wsdl/soap12/' xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <wsdl:types><xs:schema>${imports}</xs:schema></wsdl:types>
  <wsdl:service name="Orders">
    <wsdl:port name="a"><s:address   location='${address}' /></wsdl:port>
    <wsdl:port name="b"><s12:address location="${address}"/></wsdl:port>
    <other location="${address}"/>
  </wsdl:service>
</wsdl:definitions>`;

const get = (port: number, path: string): ReturnType<typeof post> => post(port, '', { method: 'GET', path });

describe('the description of a service', () => {
  it('is the upstream’s, at the gateway’s address', async () => {
    const upstream = await startUpstream((request, response) => {
      const own = `http://${String(request.headers.host)}/ws`;
      const imports = `<xs:import schemaLocation="${own}?xsd=1"/><xs:import schemaLocation="http://elsewhere.example/a.xsd"/>`;
      response.end(wsdl(own, imports));
    });
    const { port } = await startGateway([serviceConfig(upstream.url)]);
    for (const path of ['/orders?wsdl', '/orders?WSDL', '/orders?Wsdl=1']) {
      const answer = await get(port, path);
      expect(answer.status).toBe(200);
      const text = answer.body.toString();
      const own = `http://127.0.0.1:${port}/orders`;
      expect(text.match(/address +location=["']([^"']*)/g)).toHaveLength(2);
      expect(text).toContain(`<xs:import schemaLocation="${own}?xsd=1"/>`);
      expect(text).toContain('http://elsewhere.example/a.xsd');
      expect(text.replaceAll(own, upstream.url)).toContain(`<other location="${upstream.url}"/>`);
      expect(text.split(own)).toHaveLength(4);
    }
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/ws?wsdl', '/ws?WSDL', '/ws?Wsdl=1']);
  });

  it('is a file with what it imports from its folder, and nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    mkdirSync(join(folder, 'wsdl/types'), { recursive: true });
    writeFileSync(join(folder, 'secret.xsd'), '<secret/>');
    writeFileSync(
      join(folder, 'wsdl/orders.wsdl'),
      wsdl(
        'http://old/',
        '<xs:import schemaLocation="types/a.xsd"/><xs:include schemaLocation="../secret.xsd"/>',
      ),
    );
    writeFileSync(
      join(folder, 'wsdl/types/a.xsd'),
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="b.xsd"/></xs:schema>',
    );
    writeFileSync(
      join(folder, 'wsdl/types/b.xsd'),
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>',
    );
    const { port } = await startGateway([
      serviceConfig('http://127.0.0.1:1/', { wsdl: join(folder, 'wsdl/orders.wsdl') }),
    ]);
    const own = `http://127.0.0.1:${port}/orders`;
    const answer = await get(port, '/orders?wsdl');
    expect(answer.body.toString()).toContain(`schemaLocation="${own}?xsd=a.xsd"`);
    expect(answer.body.toString()).toContain('schemaLocation="../secret.xsd"');
    expect((await get(port, '/orders?XSD=a.xsd')).body.toString()).toContain(
      `schemaLocation="${own}?xsd=b.xsd"`,
    );
    expect((await get(port, '/orders?xsd=b.xsd')).status).toBe(200);
    for (const name of ['secret.xsd', '../secret.xsd', '..%2fsecret.xsd', 'types%2fa.xsd', '%zz', '']) {
      expect((await get(port, `/orders?xsd=${name}`)).status).toBe(404);
    }
  });

  it('is refused for a Host that is none, and when the upstream has none', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(404).end();
    });
    const { port } = await startGateway([serviceConfig(upstream.url)]);
    expect((await get(port, '/orders?wsdl')).status).toBe(502);
    const answer = await post(port, '', { method: 'GET', path: '/orders?wsdl', headers: { Host: 'a"b' } });
    expect(answer.status).toBe(400);
  });
});
