// Creates triggers over HTTP and waits for their runs.
import assert from 'node:assert/strict';
import type { Client, Execution, Reply } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';

export interface Trigger {
  readonly id: string;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
  readonly lastExecutionId: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly url?: string;
  readonly code?: string;
  readonly error?: string;
}
export interface HistoryEntry {
  readonly at: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly executionId: string | null;
}
type By = Pick<Client, 'request'>;

export async function createTrigger(by: By, workflow: string, body: object): Promise<Trigger> {
  const reply = await by.request<Trigger>('POST', `/workflows/${workflow}/triggers`, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

export const change = (by: By, id: string, body: object): Promise<Reply<Trigger>> =>
  by.request<Trigger>('PATCH', `/triggers/${id}`, body);

export const read = async (by: By, id: string): Promise<Trigger> =>
  (await by.request<Trigger>('GET', `/triggers/${id}`)).body;

/** Returns the history, newest first. */
export async function history(by: By, id: string): Promise<readonly HistoryEntry[]> {
  const { status, body } = await by.request<{ data: HistoryEntry[] }>(
    'GET',
    `/triggers/${id}/events?limit=200`,
  );
  assert.equal(status, 200);
  return body.data;
}

/** Waits until the history has that many entries of the outcome. Returns them, oldest first. */
export async function untilHistory(
  by: By,
  id: string,
  outcome: string,
  count: number,
): Promise<readonly HistoryEntry[]> {
  let found: readonly HistoryEntry[] = [];
  await waitUntil(`${count} ${outcome} entries`, async () => {
    found = (await history(by, id)).filter(entry => entry.outcome === outcome);
    return found.length >= count;
  });
  return found.toReversed();
}

/** Makes a feed or bucket trigger poll at once. */
export async function pollNow(by: By, id: string): Promise<void> {
  await change(by, id, { isActive: false });
  await change(by, id, { isActive: true });
}

/** Lists the runs of a trigger, oldest first. */
export async function listRuns(by: By, workflow: string, id: string): Promise<readonly Execution[]> {
  const { body } = await by.request<{ data: (Execution & { triggerId?: string })[] }>(
    'GET',
    `/executions?workflowId=${workflow}&limit=200`,
  );
  return body.data.filter(({ triggerId }) => triggerId === id).toReversed();
}
