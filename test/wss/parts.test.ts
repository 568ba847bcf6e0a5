import { describe, expect, it } from '@jest/globals';
import { isCountersignError } from '#src/core/errors.js';
import { parsePart } from '#src/wss/parts.js';

const namespaces = new Map([
  ['wsa', 'http://www.w3.org/2005/08/addressing'],
  ['o', 'urn:orders'],
]);
const wsa = 'http://www.w3.org/2005/08/addressing';

describe('parsePart', () => {
  it.each([
    ['timestamp', { kind: 'timestamp' }, false, false],
    ['body', { kind: 'body' }, false, false],
    ['body?', { kind: 'body' }, false, true],
    ['body/content', { kind: 'body' }, true, false],
    ['body/content?', { kind: 'body' }, true, true],
    ['signature', { kind: 'signature', name: undefined }, false, false],
    ['signature/partner', { kind: 'signature', name: 'partner' }, false, false],
    ['header/wsa:To', { kind: 'header', path: [{ namespace: wsa, local: 'To' }] }, false, false],
    ['header/wsa:To?', { kind: 'header', path: [{ namespace: wsa, local: 'To' }] }, false, true],
    [
      'header/{http://x/y}To',
      { kind: 'header', path: [{ namespace: 'http://x/y', local: 'To' }] },
      false,
      false,
    ],
    ['header/{}To/content', { kind: 'header', path: [{ namespace: '', local: 'To' }] }, true, false],
    ['#Body-1', { kind: 'id', id: 'Body-1' }, false, false],
    [
      'body/o:order/{urn:b}item',
      {
        kind: 'body-path',
        path: [
          { namespace: 'urn:orders', local: 'order' },
          { namespace: 'urn:b', local: 'item' },
        ],
      },
      false,
      false,
    ],
  ])('reads %s', (text, target, content, optional) => {
    expect(parsePart(text, namespaces)).toEqual({ text, target, content, optional });
  });

  it.each([
    ['', 0],
    ['?', 0],
    ['Body', 0],
    ['header', 0],
    ['header/To', 7],
    ['header/x:To', 7],
    ['header/wsa:To/wsa:Address', 13],
    ['header/{http://x', 7],
    ['body//o:a', 5],
    ['body/', 5],
    ['body/o:', 7],
    ['body/o:1', 7],
    ['timestamp/content', 0],
    ['timestamp/x', 9],
    ['signature/Partner', 10],
    ['signature/a/b', 11],
    ['#', 1],
    ['#a b', 1],
    ['#a/o:b', 2],
    ['username', 0],
    ['token/str', 0],
    ['attachment/NAME', 0],
    ['content', 0],
    ['//o:order', 0],
  ])('refuses %j at column %d', (text, position) => {
    let caught: unknown;
    try {
      parsePart(text, namespaces);
    } catch (error) {
      caught = error;
    }
    expect(isCountersignError(caught) && caught.code).toBe('POLICY_INVALID');
    expect(isCountersignError(caught) && caught.details['position']).toBe(position);
  });
});
