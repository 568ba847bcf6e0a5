import { describe, expect, it } from '@jest/globals';
import { editDistance, nearestName, renderDiagnostic, type Diagnostic } from '#src/policy/diagnostics.js';

describe('edit distance', () => {
  it.each([
    ['sign', 'sign', 0],
    ['sing', 'sign', 1],
    ['sgn', 'sign', 1],
    ['signs', 'sign', 1],
    ['sigh', 'sign', 1],
    ['', 'abc', 3],
    ['verify', 'decrypt', 5],
  ])('of %s and %s', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('the nearest name', () => {
  it('is the one that was meant', () => {
    expect(nearestName('clint', ['server', 'client', 'clients'])).toBe('client');
    expect(nearestName('Must-Understand', ['role', 'must-understand'])).toBe('must-understand');
  });

  it('is none where nothing is near', () => {
    expect(nearestName('partner', ['tls', 'client'])).toBeUndefined();
    expect(nearestName('to', ['key', 'parts'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
    expect(nearestName('p', ['o', 'wsa'])).toBeUndefined();
  });
});

describe('rendering', () => {
  const diagnostic: Diagnostic = {
    severity: 'error',
    code: 'CONFIG_INVALID',
    at: { file: 'a.yaml', line: 12, column: 3 },
    length: 100,
    message: 'wrong',
    source: '\tx: 1',
    expected: undefined,
    found: undefined,
    nearest: undefined,
    help: undefined,
    service: undefined,
  };

  it('keeps tabs before the caret and never underlines more than the line', () => {
    expect(renderDiagnostic(diagnostic)).toBe(
      'a.yaml:12:3: error CONFIG_INVALID: wrong\n 12 | \tx: 1\n    | \t ^^^',
    );
  });

  it('names only the file where the whole file is meant', () => {
    expect(renderDiagnostic({ ...diagnostic, at: { file: 'a.yaml', line: 0, column: 0 } })).toBe(
      'a.yaml: error CONFIG_INVALID: wrong',
    );
  });
});
