// Simulates the callers of a soak: creates accounts with workflows, and starts, cancels and decides runs as planned.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY } from '../support/service.ts';
import { ACCOUNTS, type PlannedRun } from './plan.ts';
import { type Caller, type CallerResponse, createCaller } from './retrying-caller.ts';
import { createInput, INPUT, type Shape } from './shapes.ts';

export interface Account {
  readonly caller: Caller;
  /** Workflow ids by shape. */
  readonly workflows: ReadonlyMap<string, string>;
}

/** A planned run and the response to its request. */
export interface StartedRun extends PlannedRun {
  /** Undefined if the run was refused. */
  readonly id: string | undefined;
  readonly refusal: string | undefined;
  /** Whether the response is a replay, received by a retry. */
  readonly isReplayed: boolean;
}

/** The credits of the last account, which suffice for some of its runs. */
const FEW_CREDITS = 60;
const MANY_CREDITS = 1_000_000;
const TERMINAL_STATUSES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED']);
const POLL_MS = 300;
const CONCURRENCY = 8;

export async function openAccounts(
  url: string,
  shapes: Readonly<Record<string, Shape>>,
  retries: Map<string, number>,
): Promise<readonly Account[]> {
  const operator = createCaller(url, KEY, retries);
  const accounts: Account[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const key = await createAccountKey(operator, index === ACCOUNTS - 1 ? FEW_CREDITS : MANY_CREDITS);
    const caller = createCaller(url, key, retries);
    const workflows = new Map<string, string>();
    for (const [name, { nodes, edges }] of Object.entries(shapes)) {
      const response = await caller.request<{ id: string }>('POST', '/workflows', { name, nodes, edges });
      assert.equal(response.status, 201, JSON.stringify(response.body));
      workflows.set(name, response.body.id);
    }
    accounts.push({ caller, workflows });
  }
  return accounts;
}

/** Creates an account and returns its key. Uses another email if the response was lost after the account was stored. */
async function createAccountKey(operator: Caller, credits: number): Promise<string> {
  const { status, body } = await operator.request<{ apiKey: string }>('POST', '/admin/users', {
    email: `soak-${randomUUID()}@example.com`,
    name: 'Soak',
    plan: 'self_hosted',
    credits,
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute'],
  });
  if (status === 409) return createAccountKey(operator, credits);
  assert.equal(status, 201, JSON.stringify(body));
  return body.apiKey;
}

/** Starts the run, then cancels or decides it as planned. */
export async function performRun(
  plan: PlannedRun,
  account: Account,
  shape: Shape,
  hookUrl: string,
): Promise<StartedRun> {
  const { caller } = account;
  const { status, body, isReplayed } = await start(plan, account, hookUrl);
  const startedRun = { ...plan, id: body.executionId, isReplayed, refusal: body.code };
  if (startedRun.id === undefined) {
    if (status !== 402) throw new Error(`Run ${plan.run} was refused: ${status} ${JSON.stringify(body)}`);
    return startedRun;
  }
  await Promise.all([
    plan.cancelAfterMs === undefined ? undefined : cancel(caller, startedRun.id, plan.cancelAfterMs),
    shape.approvalNodeId === undefined
      ? undefined
      : decide(caller, startedRun.id, shape.approvalNodeId, plan),
  ]);
  return startedRun;
}

function start(
  plan: PlannedRun,
  { caller, workflows }: Account,
  hookUrl: string,
): Promise<CallerResponse<{ readonly executionId?: string; readonly code?: string }>> {
  const webhook = plan.hook === 'none' ? {} : { webhook: { url: `${hookUrl}/${plan.hook}/${plan.run}` } };
  const path = `/workflows/${workflows.get(plan.shape)}/run`;
  return caller.request(
    'POST',
    path,
    { inputs: { [INPUT]: createInput(plan.run) }, ...webhook },
    `soak-${plan.run}`,
  );
}

/** Repeats the request of each accepted run. Returns a message for each request whose key finds another run. */
export async function repeatStarts(
  started: readonly StartedRun[],
  accounts: readonly Account[],
  hookUrl: string,
): Promise<readonly string[]> {
  const remainingRuns = started.filter(({ id }) => id !== undefined);
  const mismatches: string[] = [];
  const worker = async (): Promise<void> => {
    for (let run = remainingRuns.pop(); run !== undefined; run = remainingRuns.pop()) {
      const { status, body } = await start(run, accounts[run.account] as Account, hookUrl);
      if (body.executionId !== run.id)
        mismatches.push(`the key of run ${run.run} (${run.id}) finds ${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return mismatches;
}

async function cancel(caller: Caller, id: string, afterMs: number): Promise<void> {
  await sleep(afterMs);
  const { status, body } = await caller.request('POST', `/executions/${id}/cancel`);
  assert.equal(status, 200, JSON.stringify(body));
}

async function decide(caller: Caller, id: string, nodeId: string, plan: PlannedRun): Promise<void> {
  for (;;) {
    const { body } = await caller.request<{ status: string }>('GET', `/executions/${id}`);
    if (TERMINAL_STATUSES.has(body.status)) return;
    if (body.status === 'WAITING') break;
    await sleep(POLL_MS);
  }
  const decision = { nodeId, approved: plan.approves };
  const { status, body } = await caller.request(
    'POST',
    `/executions/${id}/resume`,
    { decision },
    `decide-${plan.run}`,
  );
  // A planned cancel may have come first.
  const isLate = status === 409 && plan.cancelAfterMs !== undefined;
  if (!isLate) assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
}
