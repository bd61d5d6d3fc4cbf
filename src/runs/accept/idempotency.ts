// Handles idempotency keys of requests that start runs: a repeated request gets the first response again.

import { hashCanonicalJson } from '../../lib/canonical-json.ts';
import { AppError } from '../../lib/errors.ts';
import { findExecution, findIdempotencyKey, type IdempotencyRow } from '../../store/executions.ts';
import type { IdempotencyUse } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';
import { type AcceptedRun, toAcceptedRun } from './accepted-run.ts';

export type IdempotencyScope = 'run' | 'execute' | 'resume' | 'batch' | 'schedule' | 'trigger' | 'app';

/**
 * Returns the key with a hash of the request, which is the same for equal JSON, or null without a key. Throws 400 for
 * an invalid key.
 */
export async function parseIdempotencyKey(
  route: IdempotencyScope,
  key: string | undefined,
  body: object,
): Promise<IdempotencyUse | null> {
  requireIdempotencyKey(key);
  if (key === undefined) return null;
  return { route, key, body_hash: await hashCanonicalJson(body) };
}

/** Throws 400 for an invalid key. */
export function requireIdempotencyKey(key: string | undefined): void {
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return;
  throw new AppError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

/**
 * Returns the response to the first request with the key in the last 24 hours, or undefined if there was none. Throws
 * 422 if that request had another body.
 */
export async function findReplay(
  deps: RunDeps,
  userId: number,
  workflowId: string,
  idempotency: IdempotencyUse | null,
): Promise<AcceptedRun | undefined> {
  if (idempotency === null) return undefined;
  const { route, key } = idempotency;
  const row = await findIdempotencyKey(deps.db, { userId, workflowId, route, key });
  if (row === undefined) return undefined;
  requireSameBody(idempotency, row, 'run');
  const execution = await findExecution(deps.db, row.execution_id);
  return execution && toAcceptedRun(execution, execution.credits_estimated ?? 0, true);
}

/** Throws 422 if the first request with the key had another body. */
export function requireSameBody(
  { body_hash }: IdempotencyUse,
  firstUse: IdempotencyRow,
  started: 'run' | 'batch',
): void {
  if (firstUse.body_hash.toString('hex') === body_hash) return;
  throw new AppError(
    'idempotency_key_reused',
    `This Idempotency-Key was used with another body in the last 24 hours. Use a new key for a new ${started}.`,
  );
}

/** Returns the error of a request whose key another request has used that is not finished. */
export const createInProgressError = (): AppError =>
  new AppError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still being processed. Try again in a second.',
    { headers: { 'retry-after': '1' } },
  );
