// Gives the calls of a pool of ComfyUI servers to servers, and moves calls of servers that are down. Calls wait as rows, so
// that a server never has more calls than it may, in all processes together.
import type { ServerQueues } from '../../engine/types.ts';
import { chooseServer, hasPartnerNode, type ServerNeeds } from '../../graph/comfyui/choose-server.ts';
import { shortHash } from '../../lib/crypto.ts';
import { createLru } from '../../lib/lru.ts';
import {
  describeMissing,
  findMissingOnAll,
  listPoolMembers,
  type PoolMember,
} from '../../services/comfyui/pool-servers.ts';
import { parsePoolKey } from '../../services/credentials/pools.ts';
import { type CallKey, toCallKey } from '../../store/calls.ts';
import {
  type CallFailure,
  findPoolCall,
  hasOtherWaiting,
  listCallsOfServer,
  listNeedsByKey,
  listWaitingCalls,
  lockServers,
  type Move,
  moveCalls,
  type Placement,
  type PoolCall,
  placeCalls,
  queueCall,
  returnCall,
  type StoredAttempt,
  suspectServer,
} from '../../store/comfyui-calls.ts';
import { expireServer } from '../../store/comfyui-servers.ts';
import type { Tx } from '../../store/db.ts';
import type { RunRow } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';
import { changeAndWake } from './apply-poll-results.ts';

/** How often a call may move to another server. */
const MAX_MOVES = 3;

type CallPlace = Awaited<ReturnType<ServerQueues['place']>>;
type CallMove = Parameters<ServerQueues['move']>[2];

/** Returns the queue of the run's pool. */
export function createServerQueues(
  deps: RunDeps,
  run: Pick<RunRow, 'id' | 'workspace'>,
  pool: string,
  timeoutAtMs: number,
): ServerQueues {
  const toKey = (nodeId: string, item: number): CallKey => ({
    execution_id: run.id,
    node_id: nodeId,
    item,
  });
  return {
    pool,
    open: valueId => deps.credentialOpener.open('comfyui', valueId),
    place: async (nodeId, item, needs) => {
      const call = { ...toKey(nodeId, item), workspace: run.workspace, deadline_at: new Date(timeoutAtMs) };
      const place = await deps.runDb.transaction(tx => placeCall(deps, tx, pool, call, needs));
      if (place.kind === 'waiting') deps.traffic.notifyDue('comfyui', 0);
      return place;
    },
    move: async (nodeId, item, move) => {
      const hasMoved = await deps.runDb.transaction(tx =>
        moveCall(deps, tx, pool, toKey(nodeId, item), move),
      );
      if (hasMoved) deps.traffic.notifyDue('comfyui', 0);
      return hasMoved;
    },
  };
}

interface QueuedCall extends CallKey {
  readonly workspace: string;
  readonly deadline_at: Date;
}

/** Queues the call, and gives it to a server if no other call waits. Returns where the call is. */
async function placeCall(
  deps: RunDeps,
  tx: Tx,
  pool: string,
  call: QueuedCall,
  needs: ServerNeeds,
): Promise<CallPlace> {
  await lockPool(tx, pool);
  const needsText = JSON.stringify(needs);
  const row = await queueCall(tx, { ...call, pool, needs: needsText, needs_key: shortHash(needsText) });
  if (row.failure !== null || row.slot_at !== null) return toPlace(row);
  const members = await listPoolMembers(deps, tx, pool);
  if (members.length === 0)
    return failed(
      row,
      'provider_not_configured',
      'The pool of this workflow has no ComfyUI server any more.',
    );
  const missing = findMissingOnAll(needs, members);
  if (missing !== undefined) return failed(row, 'comfyui_missing', describeMissing(missing));
  if (await hasOtherWaiting(tx, pool, call)) return toPlace(row);
  const placement = choosePlacement(call, needs, row.attempts, members);
  if (placement === undefined) return toPlace(row);
  await placeCalls(tx, [placement]);
  const { id, value_id, name } = placement.server;
  return toPlace({ ...row, credential_id: id, value_id, server_name: name, slot_at: new Date(deps.now()) });
}

const lockPool = (tx: Tx, pool: string): Promise<void> => {
  const parsed = parsePoolKey(pool);
  return lockServers(tx, parsed.kind === 'environment' ? null : parsed.owner);
};

function choosePlacement(
  { execution_id, node_id, item }: CallKey,
  needs: ServerNeeds,
  attempts: readonly StoredAttempt[],
  members: readonly PoolMember[],
): Placement | undefined {
  const refused = new Set(
    attempts.filter(({ isRefused }) => isRefused).map(({ credentialId }) => credentialId),
  );
  const files = shortHash(JSON.stringify(needs.files));
  const chosen = chooseServer(
    needs,
    files,
    members.filter(({ id }) => !refused.has(id)),
  );
  const member = members.find(({ id }) => id === chosen?.id);
  if (member === undefined) return undefined;
  const has_partner = hasPartnerNode(needs, member.facts);
  return { execution_id, node_id, item, server: member.server, has_partner, files };
}

const FAILURES: Readonly<Record<CallFailure, readonly [code: string, message: string]>> = {
  moved_too_often: [
    'provider_unavailable',
    `ComfyUI is unavailable: the call moved to another server ${MAX_MOVES} times, and each server went down.`,
  ],
  outcome_unknown: [
    'provider_outcome_unknown',
    'The server went down while the graph ran. It has nodes that call external models, so it is not repeated automatically, because it could be billed twice.',
  ],
};

function toPlace(row: PoolCall): CallPlace {
  const { failure, slot_at, credential_id, value_id, server_name, job_id, moves } = row;
  if (failure !== null) return failed(row, ...FAILURES[failure]);
  const attempts = toAttempts(row);
  if (slot_at === null || credential_id === null || value_id === null) return { kind: 'waiting', attempts };
  const server = server_name ?? credential_id;
  const started = { credentialId: credential_id, server, startedAt: slot_at.toISOString(), error: null };
  return {
    kind: 'placed',
    credentialId: credential_id,
    valueId: value_id,
    server,
    jobId: job_id,
    moves,
    attempts: attempts.length === 0 ? [] : [...attempts, started],
  };
}

const failed = (row: PoolCall, code: string, message: string): CallPlace => ({
  kind: 'failed',
  code,
  message,
  attempts: toAttempts(row),
});

const toAttempts = ({ attempts }: Pick<PoolCall, 'attempts'>): CallPlace['attempts'] =>
  attempts.map(({ credentialId, server, startedAt, error }) => ({ credentialId, server, startedAt, error }));

/** Gives the call back to the queue. Returns false if it must fail. */
async function moveCall(
  deps: RunDeps,
  tx: Tx,
  pool: string,
  key: CallKey,
  { moves, error, reason }: CallMove,
): Promise<boolean> {
  await lockPool(tx, pool);
  const row = await findPoolCall(tx, key);
  // The call has moved since.
  if (row === undefined || row.moves !== moves || row.slot_at === null || row.credential_id === null)
    return true;
  const serverId = row.credential_id;
  if (reason === 'unreachable') {
    await suspectServer(tx, serverId);
    await returnCall(tx, key, moves);
    return true;
  }
  if (reason === 'lost' && row.has_partner) return false;
  if (row.attempts.length >= MAX_MOVES) return false;
  const attempt = createAttempt(row, error, reason === 'refused');
  if (reason === 'refused') {
    await expireServer(tx, serverId);
    const refused = new Set(
      [...row.attempts, attempt].flatMap(each => (each.isRefused ? [each.credentialId] : [])),
    );
    const others = (await listPoolMembers(deps, tx, pool)).filter(({ id }) => !refused.has(id));
    const needs = row.needs as ServerNeeds;
    if (others.length === 0 || findMissingOnAll(needs, others) !== undefined) return false;
  }
  await moveCalls(tx, [{ ...key, attempt, moves, failure: null }]);
  return true;
}

const createAttempt = (
  { credential_id, server_name, slot_at }: PoolCall,
  error: string,
  isRefused: boolean,
): StoredAttempt => ({
  credentialId: credential_id ?? '',
  server: server_name ?? credential_id ?? '',
  startedAt: (slot_at ?? new Date(0)).toISOString(),
  error,
  isRefused,
});

/** The most calls that one round considers. */
const MAX_CONSIDERED = 200;

/** Needs by their hash. Calls of a workflow mostly need the same. */
const needsCache = createLru<ServerNeeds>(20_000_000);

/** Gives the waiting calls of the pool to servers that can take them. */
export async function placeWaitingCalls(deps: RunDeps, pool: string): Promise<void> {
  await deps.runDb.transaction(async tx => {
    await lockPool(tx, pool);
    const members = await listPoolMembers(deps, tx, pool);
    const isFree = ({ isUp, isDraining, calls, maxConcurrent }: PoolMember): boolean =>
      isUp && !isDraining && calls < maxConcurrent;
    if (!members.some(isFree)) return;
    const calls = await listWaitingCalls(tx, pool, MAX_CONSIDERED);
    const needs = await loadNeeds(tx, pool, calls);
    const placements: Placement[] = [];
    let current = members;
    for (const call of calls) {
      const needsOfCall = needs.get(call.needs_key);
      if (needsOfCall === undefined) continue;
      const placement = choosePlacement(call, needsOfCall, call.attempts, current);
      if (placement === undefined) continue;
      placements.push(placement);
      current = current.map(member =>
        member.id === placement.server.id
          ? { ...member, calls: member.calls + 1, lastFiles: placement.files }
          : member,
      );
      if (!current.some(isFree)) break;
    }
    if (placements.length > 0) await changeAndWake(deps, tx, placements, () => placeCalls(tx, placements));
  });
  deps.wakeTimers.wake('runs');
}

async function loadNeeds(
  tx: Tx,
  pool: string,
  calls: readonly { readonly needs_key: string }[],
): Promise<ReadonlyMap<string, ServerNeeds>> {
  const needs = new Map<string, ServerNeeds>();
  const absent = new Set<string>();
  for (const { needs_key } of calls) {
    const cached = needsCache.get(needs_key);
    if (cached === undefined) absent.add(needs_key);
    else needs.set(needs_key, cached);
  }
  if (absent.size === 0) return needs;
  for (const row of await listNeedsByKey(tx, pool, [...absent])) {
    const read = row.needs as ServerNeeds;
    needsCache.set(row.needs_key, read, JSON.stringify(read).length);
    needs.set(row.needs_key, read);
  }
  return needs;
}

/** Moves the calls of a server that is down. Calls that cannot move end, which wakes their runs. */
export async function moveCallsOfServer(
  deps: RunDeps,
  owner: string | null,
  serverId: string,
  error: string,
): Promise<void> {
  const count = await deps.runDb.transaction(async tx => {
    await lockServers(tx, owner);
    const calls = await listCallsOfServer(tx, serverId);
    const moves: Move[] = calls.map(call => ({
      ...toCallKey(call),
      attempt: createAttempt(call, error, false),
      moves: call.moves,
      failure:
        call.has_partner && call.job_id !== null
          ? 'outcome_unknown'
          : call.attempts.length >= MAX_MOVES
            ? 'moved_too_often'
            : null,
    }));
    const ended = moves.filter(({ failure }) => failure !== null);
    const change = () => moveCalls(tx, moves);
    if (ended.length > 0) await changeAndWake(deps, tx, ended, change);
    else if (moves.length > 0) await change();
    return moves.length;
  });
  if (count === 0) return;
  deps.log.warn({ credentialId: serverId, count }, 'calls moved away from a ComfyUI server that is down');
  deps.traffic.notifyDue('comfyui', 0);
  deps.wakeTimers.wake('runs');
}
