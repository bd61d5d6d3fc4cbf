// Tests the errors that callers get for failures of the service.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { translateError } from '../../../src/http/errors.ts';
import { OutageError } from '../../../src/lib/errors.ts';

const CAUSE = new Error('inner words');

describe('translateError', () => {
  const cases = [
    ['POST', false],
    ['PATCH', false],
    ['GET', true],
    ['PUT', true],
    ['DELETE', true],
  ] as const;
  for (const [method, mayHaveCommitted] of cases)
    it(`returns 503 for ${method} during an outage ${mayHaveCommitted ? 'after' : 'before'} a write was sent`, () => {
      const { status, code, headers, message } = translateError(
        new OutageError(mayHaveCommitted, CAUSE),
        method,
      );
      assert.deepEqual([status, code, headers?.['retry-after']], [503, 'unavailable', '2']);
      assert.doesNotMatch(message, /inner/);
    });

  for (const method of ['POST', 'PATCH'])
    it(`returns an unknown outcome for ${method} during an outage after a write was sent`, () => {
      const { status, code, message } = translateError(new OutageError(true, CAUSE), method);
      assert.deepEqual([status, code], [500, 'internal_error']);
      assert.match(message, /outcome is unknown/);
      assert.doesNotMatch(message, /inner/);
    });

  it('returns internal_error for an unexpected error', () => {
    const { status, code, message } = translateError(new TypeError('inner words'), 'GET');
    assert.deepEqual([status, code], [500, 'internal_error']);
    assert.doesNotMatch(message, /inner/);
  });
});
