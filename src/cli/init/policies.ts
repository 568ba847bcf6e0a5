/** The sample policies: scenario 3 of the OASIS interoperability tests in today's algorithms, with comments that teach. */

/** What the policies need to know of the PKI. */
export interface PolicyFacts {
  readonly clientSubject: string;
  readonly serverSubject: string;
  /** Where the keys live on a token; undefined without one. */
  readonly token: { readonly module: string; readonly label: string } | undefined;
}

interface Side {
  readonly name: 'client' | 'server';
  readonly port: number;
  readonly adminPort: number;
  readonly purpose: string;
  /** Lines of `keys` besides the side's own key, and the trust. */
  readonly otherKeys: string;
  readonly trust: { readonly name: string; readonly subject: string };
}

/** Content of client/countersign.yaml. */
export function clientGateway(facts: PolicyFacts): string {
  return gateway(facts, {
    name: 'client',
    port: 8080,
    adminPort: 9090,
    purpose: 'The client side: takes plain SOAP from clients, sends protected SOAP to the partner.',
    otherKeys: `
  # The partner's certificate: requests are encrypted to it. A certificate alone needs no key and no password.
  server: { store: pem, certificate: ../keys/server.pem }`,
    trust: { name: 'servers', subject: facts.serverSubject },
  });
}

/** Content of server/countersign.yaml. */
export function serverGateway(facts: PolicyFacts): string {
  return gateway(facts, {
    name: 'server',
    port: 8081,
    adminPort: 9091,
    purpose: 'The server side: takes protected SOAP, sends plain SOAP to the service behind it.',
    otherKeys: '',
    trust: { name: 'clients', subject: facts.clientSubject },
  });
}

function gateway(facts: PolicyFacts, side: Side): string {
  return `# ${side.purpose}
# Made by \`countersign init\` with a development PKI: not for production. Paths are relative to this file.

listen: { host: 127.0.0.1, port: ${side.port} }
admin: { host: 127.0.0.1, port: ${side.adminPort} } # /health/live, /health/ready, /metrics

# Who does the cryptography: openssl, js or pkcs11. Also \`--provider ID\` on the command line.
provider: openssl

keys:
  # Signs ${side.name === 'client' ? 'requests and decrypts responses' : 'responses and decrypts requests'}. Passwords are only ever { env: NAME } or { file: PATH }.
  ${side.name}:
    store: p12
    file: ../keys/${side.name}.p12
    password: { file: ../keys/password.txt }${hsmHome(facts, side.name)}${side.otherKeys}

trust:
  # Whose signatures are accepted: certificates of this CA, and of these only the subjects listed
  # (complete and in this order, as \`countersign keys inspect\` prints them; * may stand for a whole value).
  ${side.trust.name}:
    anchors: [../keys/ca.pem]
    subjects: ["${side.trust.subject}"]

# Prefixes for parts such as header/wsa:To and body/o:order.
namespaces:
  o: urn:orders
  wsa: http://www.w3.org/2005/08/addressing

services: services/*.yaml
`;
}

function hsmHome(facts: PolicyFacts, label: string): string {
  if (facts.token === undefined) return '';
  return `
    # The same key on a token: used under provider pkcs11, and then the file above need not exist.
    hsm:
      module: ${JSON.stringify(facts.token.module)}
      token: ${facts.token.label}
      label: ${label}
      pin: { file: ../keys/pin.txt }`;
}

/** Content of client/services/orders.yaml. */
export const clientService: string = `# The service "orders" (named by this file), as its clients see it: plain SOAP at http://127.0.0.1:8080/orders
path: /orders
upstream: http://127.0.0.1:8081/orders # the partner's gateway
wsdl: ../../wsdl/orders.wsdl           # served at /orders?wsdl with this gateway's address in it

# Requests are protected. Outbound steps run in the order written.
request:
  # wsu:Timestamp: the message is good for this long.
  - timestamp: { ttl: 300s }
  # RSA-SHA256; the certificate goes along in the header (reference: direct).
  - sign: { key: client, parts: [timestamp, body] }
  # AES-128-GCM under a fresh key, which RSA-OAEP wraps for the recipient; the recipient is named by thumbprint.
  - encrypt: { to: server, parts: [body/content] }

# Answers are checked. Inbound steps say what must be there: parts that must have been encrypted and signed.
response:
  - decrypt: { key: client, parts: [body/content] }
  - verify: { trust: servers, parts: [timestamp, body] }
  - check-timestamp
  - replay
`;

/** Content of server/services/orders.yaml. */
export const serverService: string = `# The service "orders" (named by this file), as partners see it: protected SOAP at http://127.0.0.1:8081/orders
path: /orders
upstream: http://127.0.0.1:8082/orders # the plain SOAP service
wsdl: ../../wsdl/orders.wsdl

# Requests are checked. What is not encrypted and signed as said here is refused.
request:
  - decrypt: { key: server, parts: [body/content] }
  - verify: { trust: clients, parts: [timestamp, body] }
  - check-timestamp # not older than 300s, clocks up to 60s apart
  - replay          # no message twice

# Answers are protected, for whoever signed the request.
response:
  - timestamp: { ttl: 300s }
  - sign: { key: server, parts: [timestamp, body] }
  - encrypt: { to: request-signer, parts: [body/content] }
`;
