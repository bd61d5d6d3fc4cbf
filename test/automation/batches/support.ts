// Starts, follows and changes batches over HTTP.
import assert from 'node:assert/strict';
import type { Client } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { edge, node } from '../../support/workflows.ts';

export interface Batch {
  readonly id: string;
  readonly batchId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly estimate: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

export interface Row {
  readonly row: number;
  readonly key: string | null;
  readonly status: string;
  readonly executionId: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: readonly { readonly text?: string }[];
  readonly error: { readonly code: string } | null;
  readonly rating: number | null;
  readonly isPicked: boolean;
}

/** Shows its text. */
export const GRAPH = {
  nodes: [
    node('who', 'input:text', { value: 'nobody' }),
    node('n', 'input:number'),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > out.input')],
};

export const textRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: `k${index + 1}`,
    inputs: { who: `person ${index + 1}` },
  }));

/** Returns functions that send requests as the client, which may not exist yet. */
export function batchClient(by: () => Pick<Client, 'request'>) {
  const create = async (workflow: string, body: object, headers = {}): Promise<Batch> => {
    const { status, body: batch } = await by().request<Batch>(
      'POST',
      `/workflows/${workflow}/batches`,
      body,
      headers,
    );
    assert.equal(status, 202, JSON.stringify(batch));
    return batch;
  };
  const read = async (id: string): Promise<Batch> =>
    (await by().request<Batch>('GET', `/batches/${id}`)).body;
  const rowsOf = async (id: string, query = ''): Promise<readonly Row[]> =>
    (await by().request<{ data: readonly Row[] }>('GET', `/batches/${id}/rows?limit=200${query}`)).body.data;
  const until = async (id: string, ...statuses: readonly string[]): Promise<Batch> => {
    let batch = await read(id);
    await waitUntil(`batch ${id} to be ${statuses.join(' or ')}`, async () => {
      batch = await read(id);
      const { total = 0, ...others } = batch.counts;
      const sum = Object.values(others).reduce((earlier, count) => earlier + count, 0);
      assert.equal(sum, total, 'the counts add up');
      return statuses.includes(batch.status);
    });
    return batch;
  };
  const act = (id: string, action: string, body: object = {}) =>
    by().request<Batch>('POST', `/batches/${id}/${action}`, body);
  const refuse = async (workflow: string, body: object): Promise<Batch> => {
    const { status, body: refusal } = await by().request<Batch>(
      'POST',
      `/workflows/${workflow}/batches`,
      body,
    );
    assert.equal(status, 400, JSON.stringify(refusal));
    return refusal;
  };
  return { create, read, rowsOf, until, act, refuse };
}
