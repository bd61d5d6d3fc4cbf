// What callers see of failures that are not theirs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { translateError } from '../../../src/http/errors.ts';
import { OutageError } from '../../../src/lib/errors.ts';

const LOST = new Error('inner words');

describe('a request that fails for no fault of its own', () => {
  const repeatable = [
    ['POST', false],
    ['PATCH', false],
    ['GET', true],
    ['PUT', true],
    ['DELETE', true],
  ] as const;
  for (const [method, mayBeDone] of repeatable)
    it(`is one to repeat where the database is away: ${method}${mayBeDone ? ', though a write was sent' : ''}`, () => {
      const { status, code, headers, message } = translateError(new OutageError(mayBeDone, LOST), method);
      assert.deepEqual([status, code, headers?.['retry-after']], [503, 'unavailable', '2']);
      assert.doesNotMatch(message, /inner/);
    });

  for (const method of ['POST', 'PATCH'])
    it(`is not one to repeat where it may have been stored: ${method}`, () => {
      const { status, code, message } = translateError(new OutageError(true, LOST), method);
      assert.deepEqual([status, code], [500, 'internal_error']);
      assert.match(message, /not known/);
      assert.doesNotMatch(message, /inner/);
    });

  it('is a failure of ours where the code of the service is at fault', () => {
    const { status, code, message } = translateError(new TypeError('inner words'), 'GET');
    assert.deepEqual([status, code], [500, 'internal_error']);
    assert.doesNotMatch(message, /inner/);
  });
});
