import { describe, expect, it } from '@jest/globals';
import { formatYaml } from '#src/policy/format.js';

const format = (text: string): string => {
  const result = formatYaml('file.yaml', text);
  if ('problems' in result) throw new Error(result.problems[0]?.message);
  return result.text;
};

describe('formatting', () => {
  it('has one form for blanks, indents and padding', () => {
    expect(
      format(`# the gateway
listen:   {host: 127.0.0.1,port: 8080}   # tls later
keys:
    client: { store: p12,  file: c.p12 }


clients: [ {bearer: {env: T}}, { address: 10.0.0.0/8 } ]
replay: {  }
empty: [ ]
`),
    ).toMatchInlineSnapshot(`
     "# the gateway
     listen: { host: 127.0.0.1, port: 8080 } # tls later
     keys:
       client: { store: p12, file: c.p12 }

     clients: [{ bearer: { env: T } }, { address: 10.0.0.0/8 }]
     replay: {}
     empty: []
     "
    `);
  });

  it('keeps comments, order, quotes and empty values', () => {
    const text = `# first
b: 1 # one

# before a
a: "quoted" # two
c: 'single'
parts: ["header/{urn:x}To", "#id", "header/wsa:To?"]
steps:
  # about sign
  - sign:
      key: client # here
  - replay

# last
`;
    expect(format(text)).toBe(text);
  });

  it('begins the comments of neighbouring lines in one column', () => {
    expect(format('a: 1 # one\nlonger: "x # y" # two\n# alone\nb: 2      # three\n')).toBe(
      'a: 1            # one\nlonger: "x # y" # two\n# alone\nb: 2 # three\n',
    );
  });

  it('breaks long maps into lines', () => {
    const long = `keys:\n  client: { store: p12, file: keys/client.p12, password: { env: CLIENT_PASSWORD }, hsm: { module: /usr/lib/softhsm/libsofthsm2.so, token: prod, label: client } }\n`;
    expect(format(long)).toMatchInlineSnapshot(`
     "keys:
       client:
         store: p12
         file: keys/client.p12
         password: { env: CLIENT_PASSWORD }
         hsm: { module: /usr/lib/softhsm/libsofthsm2.so, token: prod, label: client }
     "
    `);
    expect(format(format(long))).toBe(format(long));
  });

  it('does not touch a file that is not YAML', () => {
    expect(formatYaml('file.yaml', 'a: [')).toMatchObject({ problems: [{ code: 'CONFIG_SYNTAX' }] });
  });

  it('leaves an empty file empty', () => {
    expect(format('')).toBe('');
  });
});
