// What callers are told of failures that are not theirs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { translateError } from '../../../src/http/errors.ts';

const failing = (code: string): Error => Object.assign(new Error('inner words'), { code });

describe('a request that fails for no fault of its own', () => {
  for (const code of ['57P03', '53300', 'ECONNREFUSED'])
    it(`is one to repeat where the database is away (${code})`, () => {
      const { status, code: told, headers, message } = translateError(failing(code));
      assert.deepEqual([status, told, headers?.['retry-after']], [503, 'unavailable', '2']);
      assert.doesNotMatch(message, /inner/);
    });

  it('is a failure of ours where the connection broke amid a statement', () => {
    const { status, code, message } = translateError(failing('57P01'));
    assert.deepEqual([status, code], [500, 'internal_error']);
    assert.doesNotMatch(message, /inner/);
  });
});
