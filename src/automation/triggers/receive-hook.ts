// Receives the requests of hooks: finds the trigger by its token, checks the rate limit and signature, and starts the
// run.
import { toNetwork } from '../../lib/addresses.ts';
import { decrypt, sha256, sha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { createRateLimitError } from '../../services/accounts/rate-limits.ts';
import { findSignatureError } from '../../services/webhooks/webhook-signature.ts';
import { enqueue } from '../../store/queue.ts';
import { toRefusal } from '../start-for-user.ts';
import { mapInputs } from './map-inputs.ts';
import { startItem } from './start-items.ts';
import {
  deleteExpiredItem,
  deleteItem,
  findItem,
  findTriggerByToken,
  insertEvent,
  insertWaiting,
  type TriggerRow,
} from './store.ts';

const MAX_REQUESTS_PER_MINUTE = 60;
const LIMIT_REASON = `More than ${MAX_REQUESTS_PER_MINUTE} requests in a minute`;
const MAX_UNKNOWN_PER_MINUTE = 60;
const UNKNOWN_REASON = `More than ${MAX_UNKNOWN_PER_MINUTE} requests to unknown hooks in a minute`;
const MINUTE_S = 60;
const MAX_ID_CHARS = 256;

export interface HookPayload {
  /** What an empty pointer selects. */
  readonly payload: unknown;
  /** What other pointers select from: the payload, or what a text stands for. */
  readonly members: unknown;
}

export interface HookRequest {
  readonly token: string;
  /** The address of the sender. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes received. */
  readonly body: Buffer;
  /** Parses the body. Throws 400. */
  readonly parse: (body: Buffer) => HookPayload;
}

/** Starts an execution and returns its id. Requests with the same `webhook-id` within 24 hours get the same execution. */
export async function receiveHook(
  deps: RunDeps,
  { token, address, headers, body, parse }: HookRequest,
): Promise<{ readonly executionId: string }> {
  const hash = sha256(token);
  const key = `hook:${hash.toString('base64url')}`;
  // Checks the counts in memory before it reads the database, which protects the database from a flood of requests.
  const allowance = deps.rateLimiter.peek(key, MAX_REQUESTS_PER_MINUTE, MINUTE_S);
  if (allowance.remaining === 0)
    throw createRateLimitError('rate_limited', LIMIT_REASON, allowance, deps.now());
  const trigger = await findTriggerByToken(deps.db, hash);
  if (trigger === undefined) {
    // Counted only here, so that a network whose other users guess tokens can still call its hooks.
    const unknownKey = `unknown-hooks:${toNetwork(address)}`;
    await deps.rateLimiter.requireToken(unknownKey, MAX_UNKNOWN_PER_MINUTE, MINUTE_S, UNKNOWN_REASON);
    throw new AppError('not_found', 'Hook not found. Check its address.');
  }
  await deps.rateLimiter.requireToken(key, MAX_REQUESTS_PER_MINUTE, MINUTE_S, LIMIT_REASON);
  if (!trigger.is_active)
    throw new AppError('trigger_paused', 'The trigger is paused. Its owner can activate it again.');
  await requireSignature(deps, trigger, headers, body);
  const id = headers['webhook-id'];
  const hasId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS;
  const executionId = newId('execution', deps.now());
  const item = hasId ? sha256Hex(id) : executionId;
  const inputs = await mapPayload(deps, trigger, parse(body));
  await deps.db.transaction(async tx => {
    await deleteExpiredItem(tx, trigger.id, item);
    await insertWaiting(tx, trigger.id, [{ item, label: null, inputs, execution_id: executionId }]);
    // Starts the run if this process dies.
    await enqueue(tx, 'automation', [trigger.id], new Date(deps.now() + deps.timing.hookRescueMs));
  });
  const storedItem = await findItem(deps.db, trigger.id, item);
  if (storedItem === undefined)
    throw new AppError('conflict', 'The trigger was changed in the meantime. Send the request again.');
  if (storedItem.status !== 'waiting') return { executionId: storedItem.execution_id ?? executionId };
  const outcome = await startItem(deps, trigger, storedItem);
  if (!(outcome instanceof AppError)) return { executionId: outcome };
  // Deletes the item so that the sender can retry the request once the problem is fixed.
  await deleteItem(deps.db, trigger.id, item);
  throw new AppError(
    'trigger_refused',
    'The run was refused. The history of the trigger shows the reason to its owner.',
    { cause: outcome },
  );
}

/** Throws 413 if the inputs are too large, and records it in the trigger's history. */
async function mapPayload(
  deps: RunDeps,
  trigger: TriggerRow,
  { payload, members }: HookPayload,
): Promise<string> {
  try {
    return mapInputs(trigger.inputs, payload, members);
  } catch (err) {
    const reason = toRefusal(err).message;
    await deps.db.transaction(tx => insertEvent(tx, trigger.id, { outcome: 'refused', reason }));
    throw err;
  }
}

/** Throws 401 if the signature is invalid. Only the trigger history shows the reason. */
async function requireSignature(
  deps: RunDeps,
  { id, secret }: TriggerRow,
  headers: HookRequest['headers'],
  body: Buffer,
): Promise<void> {
  if (secret === null) return;
  const problem = findSignatureError({ headers, body, nowMs: deps.now() }, decrypt(deps.secretsKey, secret));
  if (problem === undefined) return;
  await deps.db.transaction(tx => insertEvent(tx, id, { outcome: 'refused', reason: problem }));
  throw new AppError('unauthorized', 'The signature is missing or invalid.');
}
