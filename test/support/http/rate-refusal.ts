// Checks the contents of responses with status 429, which are the same for every limit.
import assert from 'node:assert/strict';
import type { TestResponse } from '../app.ts';

export interface ExpectedLimit {
  readonly code: string;
  readonly limit: number;
  /** The time of the service's clock. */
  readonly nowMs: number;
}

/**
 * Checks status, code, `retryAfter`, Retry-After and the X-RateLimit-* headers of the limit that refused the request.
 */
export function assertRateRefusal(
  { status, headers, body }: TestResponse<unknown>,
  { code, limit, nowMs }: ExpectedLimit,
): void {
  assert.equal(status, 429);
  assert.equal(body.code, code);
  const { retryAfter } = body as { retryAfter?: number };
  assert.equal(headers['x-ratelimit-limit'], String(limit));
  assert.equal(headers['x-ratelimit-remaining'], '0');
  assert.equal(headers['x-ratelimit-reset'], String(retryAfter));
  const seconds = Number(headers['retry-after']);
  // A running clock may have moved since the response.
  assert.ok(Math.abs(seconds - (Number(retryAfter) - nowMs / 1000)) <= 2, `${seconds} until ${retryAfter}`);
  assert.ok(Number.isInteger(seconds) && seconds >= 1);
}
