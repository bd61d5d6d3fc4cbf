// Handles idempotency keys of requests that start runs: a repeated request gets the first response again.
import { AppError } from '../../lib/errors.ts';
import { hashCanonicalJson } from '../../lib/json-hash.ts';
import { findExecution, findIdempotencyKey } from '../../store/executions.ts';
import type { IdempotencyUse, RunSpec } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';

export type IdempotencyScope = 'run' | 'execute' | 'resume' | 'batch' | 'schedule' | 'trigger' | 'app';

/** The response to a request that starts a run. */
export interface AcceptedRun {
  readonly executionId: string;
  readonly workflowId: string;
  readonly estimatedCredits: number;
  readonly createdAt: string;
  /** Whether this repeats the first response for the idempotency key. */
  readonly replayed: boolean;
  /** Set if nodes take sample results. */
  readonly meta?: { readonly warnings: readonly string[] };
}

/** Builds the response. `replayed` is false for the first response. */
export const presentAcceptedRun = (
  { id, workflow_id, created_at }: Pick<RunSpec, 'id' | 'workflow_id' | 'created_at'>,
  estimatedCredits: number,
  replayed = false,
): AcceptedRun => ({
  executionId: id,
  workflowId: workflow_id,
  estimatedCredits,
  createdAt: created_at.toISOString(),
  replayed,
});

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
  const { route, key, body_hash } = idempotency;
  const row = await findIdempotencyKey(deps.db, { userId, workflowId, route, key });
  if (row === undefined) return undefined;
  if (row.body_hash.toString('hex') !== body_hash) {
    throw new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body in the last 24 hours. Use a new key for a new run.',
    );
  }
  const execution = await findExecution(deps.db, row.execution_id);
  return execution && presentAcceptedRun(execution, execution.credits_estimated ?? 0, true);
}
