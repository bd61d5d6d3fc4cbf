// Tests the table of errors, and errors that refer to its rows.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError, ERROR_CODES, toError } from '../../src/lib/errors.ts';

describe('the error table', () => {
  it('has snake_case codes, statuses of errors or redirects, and titles', () => {
    for (const [code, [status, title]] of Object.entries(ERROR_CODES)) {
      assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
      assert.ok(status >= 300 && status < 600, code);
      assert.match(title, /[^.]$/);
    }
  });
});

describe('an AppError', () => {
  it('has the status of its row and carries its details', () => {
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

describe('a thrown value', () => {
  it('becomes an Error, and an Error stays itself', () => {
    const err = new TypeError('x');
    assert.equal(toError(err), err);
    assert.equal(toError('text').message, 'text');
    assert.equal(toError(undefined).message, 'undefined');
  });
});
