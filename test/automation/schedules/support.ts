// Creates schedules and reads their firings over HTTP.
import assert from 'node:assert/strict';
import type { Client } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { edge, node } from '../../support/workflows.ts';

export interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly inputs: object;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastExecutionId: string | null;
  readonly code?: string;
  readonly error?: string;
}

export interface Firing {
  readonly dueAt: string;
  readonly acceptedAt: string | null;
  readonly kind: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly executionId: string | null;
}

export const GRAPH = {
  nodes: [node('who', 'input:text', { value: 'nobody' }), node('out', 'output:preview')],
  edges: [edge('who.text > out.input')],
};

export const YEARLY = { cron: '0 0 1 1 *' };
export const HOUR_MS = 3_600_000;

/** Returns functions that send requests with the current result of `getClient`. */
export function createScheduleClient(getClient: () => Pick<Client, 'request'>) {
  const create = async (workflow: string, body: object = {}): Promise<Schedule> => {
    const response = await getClient().request<Schedule>('POST', `/workflows/${workflow}/schedules`, {
      ...YEARLY,
      ...body,
    });
    assert.equal(response.status, 201, JSON.stringify(response.body));
    return response.body;
  };
  const read = async (id: string): Promise<Schedule> =>
    (await getClient().request<Schedule>('GET', `/schedules/${id}`)).body;
  const listFirings = async (id: string): Promise<readonly Firing[]> =>
    (await getClient().request<{ data: readonly Firing[] }>('GET', `/schedules/${id}/firings?limit=200`)).body
      .data;
  const listOutcomes = async (id: string): Promise<readonly string[]> =>
    (await listFirings(id)).map(({ outcome }) => outcome);
  const waitForOutcomes = async (id: string, ...expected: readonly string[]): Promise<readonly Firing[]> => {
    await waitUntil(
      `firings of ${id}: ${expected.join(', ')}`,
      async () => (await listOutcomes(id)).join() === expected.join(),
    );
    return listFirings(id);
  };
  return { create, read, listFirings, listOutcomes, waitForOutcomes };
}
