// Creates triggers over HTTP and waits for their runs.
import assert from 'node:assert/strict';
import type { Client, Execution, Reply } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';

export interface Trigger {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
  readonly lastExecutionId: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly url?: string;
  readonly meta?: { readonly warnings: readonly string[] };
  readonly code?: string;
  readonly error?: string;
}
export interface HistoryEntry {
  readonly at: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly executionId: string | null;
}
type ApiClient = Pick<Client, 'request'>;

export async function createTrigger(client: ApiClient, workflow: string, body: object): Promise<Trigger> {
  const reply = await client.request<Trigger>('POST', `/workflows/${workflow}/triggers`, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

export const changeTrigger = (client: ApiClient, id: string, body: object): Promise<Reply<Trigger>> =>
  client.request<Trigger>('PATCH', `/triggers/${id}`, body);

export const readTrigger = async (client: ApiClient, id: string): Promise<Trigger> =>
  (await client.request<Trigger>('GET', `/triggers/${id}`)).body;

/** Returns the history of a trigger, newest first. */
export async function listHistory(client: ApiClient, id: string): Promise<readonly HistoryEntry[]> {
  const { status, body } = await client.request<{ data: HistoryEntry[] }>(
    'GET',
    `/triggers/${id}/events?limit=200`,
  );
  assert.equal(status, 200);
  return body.data;
}

/** Waits until the history has `count` entries of the outcome, and returns these entries, oldest first. */
export async function waitForHistory(
  client: ApiClient,
  id: string,
  outcome: string,
  count: number,
): Promise<readonly HistoryEntry[]> {
  let entries: readonly HistoryEntry[] = [];
  await waitUntil(`${count} ${outcome} entries`, async () => {
    entries = (await listHistory(client, id)).filter(entry => entry.outcome === outcome);
    return entries.length >= count;
  });
  return entries.toReversed();
}

/** Makes a feed or bucket trigger poll now by activating the trigger again. */
export async function pollNow(client: ApiClient, id: string): Promise<void> {
  await changeTrigger(client, id, { isActive: false });
  await changeTrigger(client, id, { isActive: true });
}

/** Lists the runs of a trigger, oldest first. */
export async function listRuns(
  client: ApiClient,
  workflow: string,
  id: string,
): Promise<readonly Execution[]> {
  const { body } = await client.request<{ data: (Execution & { triggerId?: string })[] }>(
    'GET',
    `/executions?workflowId=${workflow}&limit=200`,
  );
  return body.data.filter(({ triggerId }) => triggerId === id).toReversed();
}
