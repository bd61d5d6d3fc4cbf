// Applies poll results: wakes runs whose calls ended and reschedules the rest. Grants free slots to waiting calls.

import type { Step } from '../../engine/types.ts';
import { getEnvironmentCredentialId } from '../../services/credentials/provider-credential.ts';
import { chargeRuns } from '../../services/credits/charge-runs.ts';
import { grantSlots, type LimitedProvider, listNextWaitingCalls } from '../../store/call-slots.ts';
import {
  type CallKey,
  type CallRow,
  dropCalls,
  type EndedCall,
  endCalls,
  postponeCalls,
  toCallId,
  toCallKey,
} from '../../store/calls.ts';
import { settleCharges } from '../../store/credential-charges.ts';
import { lockPoolsOfRuns, type NodeCharge, releaseRuns } from '../../store/credits.ts';
import type { Tx } from '../../store/db.ts';
import { lockRuns } from '../../store/runs.ts';
import { listStepsOfNode } from '../../store/steps.ts';
import { applyToLocked } from '../change/commit.ts';
import type { RunDeps } from '../deps.ts';
import { priceByTerms } from '../payments/pay.ts';
import { MAX_STORED_BYTES } from '../prepare/stored-run.ts';

export interface PollResult {
  readonly call: CallRow;
  /** Set if the provider bills a dropped call, with the usage that it reported. */
  readonly billing?: { readonly usage: unknown };
  /**
   * `ended`: the provider reported the end. `unresolved`: the provider did not, but the run is woken. `dropped`: the
   * result is no longer needed. A date: when to poll again.
   */
  readonly outcome: 'ended' | 'unresolved' | 'dropped' | Date;
  /** Whether the provider rejected the poll because of its rate limit. */
  readonly isRateLimited: boolean;
}

export async function applyPollResults(deps: RunDeps, results: readonly PollResult[]): Promise<void> {
  const callsWithOutcome = (...outcomes: readonly PollResult['outcome'][]): readonly CallRow[] =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ call }) => call);
  const endedCalls = callsWithOutcome('ended', 'unresolved');
  const droppedResults = results.filter(({ outcome }) => outcome === 'dropped');
  const postponedCalls = results.flatMap(({ call, outcome }) =>
    outcome instanceof Date ? [{ ...toCallKey(call), due_at: outcome }] : [],
  );
  if (endedCalls.length > 0) await wakeRuns(deps, endedCalls);
  if (droppedResults.length > 0) await deps.runDb.transaction(tx => chargeDropped(deps, tx, droppedResults));
  if (postponedCalls.length > 0) await postponeCalls(deps.runDb, postponedCalls);
  await recordCallDurations(deps, callsWithOutcome('ended'));
}

/**
 * Charges cancelled calls that the provider bills, adds the charges to the steps of the nodes, and releases the rest of
 * the reservations.
 */
async function chargeDropped(deps: RunDeps, tx: Tx, results: readonly PollResult[]): Promise<void> {
  // Every transaction locks runs before calls, so that transactions cannot deadlock. A run may have been deleted.
  const runs = await lockRuns(tx, [...new Set(results.map(({ call }) => call.execution_id))]);
  const calls = await dropCalls(
    tx,
    results.map(({ call }) => toCallKey(call)),
  );
  // Only the transaction that deletes a call's row settles the call, so that nothing is charged twice.
  const billings = new Map(results.map(({ call, billing }) => [toCallId(call), billing]));
  const freeCalls = calls.filter(
    call => call.credential_id !== null && billings.get(toCallId(call)) === undefined,
  );
  // A billed call keeps the cost that was reserved for it.
  if (freeCalls.length > 0)
    await settleCharges(
      tx,
      freeCalls.map(call => ({ ...toCallKey(call), usd: null, is_free: true })),
    );
  const reservedCalls = calls.filter(({ credits }) => credits > 0);
  if (reservedCalls.length === 0) return;
  await lockPoolsOfRuns(
    tx,
    reservedCalls.map(({ execution_id }) => execution_id),
  );
  const charges = new Map<string, LateCharge>();
  for (const call of reservedCalls) {
    const { execution_id: executionId, node_id: nodeId, terms, provider, credential_id } = call;
    const billing = billings.get(toCallId(call));
    const charge = billing === undefined ? 0 : priceByTerms(deps, call, billing.usage);
    const chargeId = `${executionId} ${nodeId}`;
    const add = charge + (charges.get(chargeId)?.add ?? 0);
    const nodeType = terms?.nodeType ?? null;
    const credentialId = credential_id ?? getEnvironmentCredentialId(provider);
    charges.set(chargeId, { executionId, nodeId, nodeType, provider, credentialId, add });
  }
  await chargeRuns(tx, [...charges.values()]);
  await releaseRuns(tx, [...new Set(reservedCalls.map(({ execution_id }) => execution_id))]);
  for (const run of runs) {
    const runCharges = [...charges.values()].filter(
      ({ executionId, add }) => executionId === run.id && add > 0,
    );
    const steps = await listBilledSteps(tx, runCharges);
    if (steps.length > 0) await applyToLocked(tx, deps.timing, [run], { kind: 'bill', steps });
  }
}

type LateCharge = NodeCharge & { readonly add: number };

/** Returns the last step of each charged node, with the charge added. */
async function listBilledSteps(tx: Tx, charges: readonly LateCharge[]): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { executionId, nodeId, add } of charges) {
    const row = (
      await listStepsOfNode(tx, executionId, nodeId, { maxBytes: MAX_STORED_BYTES, isStoredForm: true })
    ).at(-1);
    if (row === undefined) continue;
    const step = row.step as Step;
    // `true`: an earlier step contains the item's result (see mergeSteps).
    const items = step.items?.map(item => item !== null || null) as Step['items'];
    const credits = (step.credits ?? 0) + add;
    steps.push({ ...step, credits, ...(items === undefined ? {} : { items }) });
  }
  return steps;
}

/** Records the durations of calls whose end was just reported. */
export async function recordCallDurations(
  { traffic, now }: RunDeps,
  calls: readonly Pick<CallRow, 'provider' | 'model' | 'submitted_at'>[],
): Promise<void> {
  const nowMs = now();
  await traffic.recordDurations(
    calls.map(({ provider, model, submitted_at }) => ({
      provider,
      model,
      durationMs: nowMs - submitted_at.getTime(),
    })),
  );
}

/** Marks the calls as ended and wakes their runs. A worker that executes such a run is notified. */
export async function wakeRuns(deps: RunDeps, calls: readonly EndedCall[]): Promise<void> {
  const ended = calls.map(call => ({ ...toCallKey(call), value_id: call.value_id }));
  await deps.runDb.transaction(tx => changeAndWake(deps, tx, calls, () => endCalls(tx, ended)));
  deps.wakeTimers.wake('runs');
}

const MAX_GRANTED_CALLS = 200;

/** Grants the free slots of a limiter to its waiting calls. */
export async function grantWaitingCalls(deps: RunDeps, limited: LimitedProvider): Promise<void> {
  const maxConcurrent = deps.traffic.getMaxConcurrent(limited.provider);
  await deps.runDb.transaction(async tx => {
    const calls = await listNextWaitingCalls(tx, limited, { maxConcurrent, maxCalls: MAX_GRANTED_CALLS });
    if (calls.length > 0) await changeAndWake(deps, tx, calls, () => grantSlots(tx, calls));
  });
  deps.wakeTimers.wake('runs');
}

/** Changes calls and wakes their runs, in this order of locks. */
export async function changeAndWake(
  deps: RunDeps,
  tx: Tx,
  calls: readonly CallKey[],
  change: () => Promise<void>,
): Promise<void> {
  const atMs = deps.now();
  // Every transaction locks runs before calls, so that transactions cannot deadlock.
  const runs = await lockRuns(tx, [...new Set(calls.map(({ execution_id }) => execution_id))]);
  await change();
  await applyToLocked(tx, deps.timing, runs, { kind: 'wake', atMs });
}
