// Tests the table of error codes, AppError and toError.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError, ERROR_CODES, toError } from '../../src/lib/errors.ts';

describe('ERROR_CODES', () => {
  it('has snake_case codes, statuses of errors or redirects, and titles', () => {
    for (const [code, [status, title]] of Object.entries(ERROR_CODES)) {
      assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
      assert.ok(status >= 300 && status < 600, code);
      assert.match(title, /[^.]$/);
    }
  });
});

describe('AppError', () => {
  it('has the status of its code and carries details', () => {
    const cause = new Error('why');
    const issues = [{ code: 'x', message: 'y' }];
    const err = new AppError('rate_limited', 'Wait.', { cause, issues, headers: { 'Retry-After': '1' } });
    assert.equal(err.status, 429);
    assert.equal(err.cause, cause);
    assert.equal(err.issues, issues);
    assert.deepEqual(err.headers, { 'Retry-After': '1' });
    assert.equal(String(err), 'AppError: Wait.');
  });
});

describe('toError', () => {
  it('returns an Error unchanged and wraps any other value', () => {
    const err = new TypeError('x');
    assert.equal(toError(err), err);
    assert.equal(toError('text').message, 'text');
    assert.equal(toError(undefined).message, 'undefined');
  });
});
