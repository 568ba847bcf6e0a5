import { describe, expect, it } from '@jest/globals';
import { codes } from '#src/core/codes.js';

describe('code table', () => {
  it('has no empty summary', () => {
    for (const entry of Object.values(codes)) expect(entry.summary).toMatch(/\.$/);
  });
});
