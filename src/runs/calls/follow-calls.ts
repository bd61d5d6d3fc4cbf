// Follows running calls over the WebSockets of their servers, and stores what the servers report, so that each process can
// show it. A socket only adds to the polls: if it cannot be opened, breaks or lies, the call is polled as without it.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { workFor } from '../../lib/work.ts';
import { readImageType } from '../../media/images.ts';
import { createFollowedTask, type FollowedTask } from '../../nodes/models/follow-task.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import {
  type CallProgress,
  claimProgress,
  releaseProgress,
  saveProgress,
} from '../../store/call-progress.ts';
import { type CallKey, type CallRow, toCallId } from '../../store/calls.ts';
import { findExecution } from '../../store/executions.ts';
import type { RunDeps } from '../deps.ts';
import { readPlan } from '../prepare/stored-run.ts';

export interface CallFollower {
  /** Follows the call, unless this or another process follows it already. */
  follow(call: CallRow, credential: ProviderCredential): void;
  /** Ends the connection of a call that has ended. */
  unfollow(call: CallKey): void;
  /** Resolves once nothing is followed any more. */
  close(): Promise<void>;
}

// A server runs one call at a time on each of its graphics cards, so the calls that wait need no socket.
const MAX_PER_LIMITER = 8;
const MAX_PER_WORKSPACE = 16;
const MAX_CALLS = 256;
const PREVIEW_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
const PREVIEW_CHECK_MS = 5000;

interface FollowedCall {
  readonly call: CallRow;
  readonly stop: AbortController;
  /** Undefined until the graph was read. */
  task: FollowedTask | undefined;
  /** Whether the server reported something since the last write. */
  hasChanged: boolean;
  savedAtMs: number;
}

/** Creates the follower of a process. Calls `onEnded` at most once for each followed call, when its server says that it ended. */
export function createCallFollower(
  deps: RunDeps,
  onEnded: (call: CallRow) => void,
  signal: AbortSignal,
): CallFollower {
  const follower = randomUUID();
  const followed = new Map<string, FollowedCall>();
  const work = new Set<Promise<void>>();
  const track = (promise: Promise<void>): void => {
    const tracked = promise
      .catch((err: unknown) => {
        if (!signal.aborted) deps.log.debug({ err }, 'a call could not be followed');
      })
      .finally(() => work.delete(tracked));
    work.add(tracked);
  };
  let isSaving = false;
  /** Stores the progress of all followed calls until none is left. */
  const startSaving = (): void => {
    if (isSaving) return;
    isSaving = true;
    track(
      saveUntilIdle(deps, followed, follower, signal).finally(() => {
        isSaving = false;
      }),
    );
  };
  const followOne = async (entry: FollowedCall, credential: ProviderCredential): Promise<void> => {
    const { call, stop } = entry;
    try {
      if (!(await claimProgress(deps.runDb, call, follower))) return;
      entry.task = createFollowedTask(credential, call.job_id ?? '', await readConfig(deps, call));
      startSaving();
      const onChange = (): void => {
        entry.hasChanged = true;
      };
      const hasEnded = await entry.task?.read(onChange, stop.signal).catch(() => false);
      if (hasEnded === true && !stop.signal.aborted) onEnded(call);
      // The call keeps its place until the next attempt, so that a server that fails is not asked with each poll.
      await sleep(deps.timing.followRetryMs, undefined, { signal: stop.signal }).catch(() => undefined);
    } finally {
      stop.abort();
      followed.delete(toCallId(call));
    }
  };
  return {
    follow(call, credential) {
      const key = toCallId(call);
      if (signal.aborted || credential.connect === undefined || followed.has(key)) return;
      if (isFull([...followed.values()], call)) return;
      const entry: FollowedCall = {
        call,
        stop: new AbortController(),
        task: undefined,
        hasChanged: false,
        savedAtMs: 0,
      };
      followed.set(key, entry);
      const account = { account: call.workspace, signal: entry.stop.signal, isAccepted: true };
      track(workFor(account, () => followOne(entry, credential)));
    },
    unfollow: call => followed.get(toCallId(call))?.stop.abort(),
    async close() {
      for (const { stop } of followed.values()) stop.abort();
      await Promise.all(work);
      await releaseProgress(deps.runDb, follower).catch(() => undefined);
    },
  };
}

function isFull(entries: readonly FollowedCall[], { limiter, workspace }: CallRow): boolean {
  const count = (matches: (call: CallRow) => boolean): number =>
    entries.filter(({ call }) => matches(call)).length;
  return (
    entries.length >= MAX_CALLS ||
    count(call => call.limiter === limiter) >= MAX_PER_LIMITER ||
    count(call => call.workspace === workspace) >= MAX_PER_WORKSPACE
  );
}

/** Returns the config of the call's node. */
async function readConfig(deps: RunDeps, call: CallRow): Promise<Readonly<Record<string, unknown>>> {
  const execution = await findExecution(deps.db, call.execution_id);
  const plan = execution && (await readPlan(deps, execution));
  return plan?.nodes.find(({ id }) => id === call.node_id)?.config ?? {};
}

async function saveUntilIdle(
  deps: RunDeps,
  followed: ReadonlyMap<string, FollowedCall>,
  follower: string,
  signal: AbortSignal,
): Promise<void> {
  const { progressSaveMs, progressLeaseMs } = deps.timing;
  while (followed.size > 0 && !signal.aborted) {
    await sleep(progressSaveMs, undefined, { signal }).catch(() => undefined);
    const nowMs = deps.now();
    const due = [...followed.values()].filter(
      ({ task, hasChanged, savedAtMs }) =>
        task !== undefined && (hasChanged || nowMs - savedAtMs >= progressLeaseMs),
    );
    if (due.length === 0 || signal.aborted) continue;
    await saveAll(deps, due, follower).catch((err: unknown) =>
      deps.log.warn({ err }, 'the progress of calls could not be stored'),
    );
  }
}

/** Stores the progress of these calls, and ends the connections of calls that have ended or that another process follows. */
async function saveAll(deps: RunDeps, entries: readonly FollowedCall[], follower: string): Promise<void> {
  const rows = await Promise.all(entries.map(toRow));
  const saved = new Set((await saveProgress(deps.runDb, rows, follower)).map(toCallId));
  for (const { call, stop } of entries) {
    if (saved.has(toCallId(call))) deps.changeHub.notify(call.execution_id);
    else stop.abort();
  }
}

async function toRow(entry: FollowedCall): Promise<CallProgress> {
  const { call, task, stop } = entry;
  entry.hasChanged = false;
  const preview = task?.takePreview();
  entry.savedAtMs = Date.now();
  const type = preview === undefined ? undefined : await findPreviewType(preview, stop.signal);
  return {
    execution_id: call.execution_id,
    node_id: call.node_id,
    item: call.item,
    fraction: task?.fraction ?? 0,
    detail: task?.detail ?? null,
    preview: type === undefined ? null : (preview ?? null),
    preview_type: type ?? null,
  };
}

/** Returns the type of the image, or undefined if the bytes are no image that browsers show. */
async function findPreviewType(bytes: Buffer, signal: AbortSignal): Promise<string | undefined> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(PREVIEW_CHECK_MS)]);
  const type = await readImageType(bytes, timeout).catch(() => undefined);
  return type !== undefined && PREVIEW_TYPES.has(type) ? type : undefined;
}
