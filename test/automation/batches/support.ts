// Creates, reads and changes batches over HTTP.
import assert from 'node:assert/strict';
import type { Client } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { edge, node } from '../../support/workflows.ts';

export interface Batch {
  readonly id: string;
  readonly batchId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly concurrency: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly credits: { readonly charged: number };
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

/** A graph that outputs its input `who`. */
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

/** Returns functions that send requests with the current result of `getClient`. */
export function createBatchClient(getClient: () => Pick<Client, 'request'>) {
  const send = async (
    expectedStatus: number,
    workflow: string,
    body: object,
    headers = {},
  ): Promise<Batch> => {
    const path = `/workflows/${workflow}/batches`;
    const reply = await getClient().request<Batch>('POST', path, body, headers);
    assert.equal(reply.status, expectedStatus, JSON.stringify(reply.body));
    return reply.body;
  };
  const create = (workflow: string, body: object, headers = {}) => send(202, workflow, body, headers);
  /** Sends a request that must be refused, and returns the error. */
  const createInvalid = (workflow: string, body: object) => send(400, workflow, body);
  const read = async (id: string): Promise<Batch> =>
    (await getClient().request<Batch>('GET', `/batches/${id}`)).body;
  const listRows = async (id: string, query = ''): Promise<readonly Row[]> =>
    (await getClient().request<{ data: readonly Row[] }>('GET', `/batches/${id}/rows?limit=200${query}`)).body
      .data;
  const waitForStatus = async (id: string, ...statuses: readonly string[]): Promise<Batch> => {
    let batch = await read(id);
    await waitUntil(`batch ${id} to be ${statuses.join(' or ')}`, async () => {
      batch = await read(id);
      const { total = 0, ...others } = batch.counts;
      const sum = Object.values(others).reduce((total, count) => total + count, 0);
      assert.equal(sum, total, 'the counts add up');
      return statuses.includes(batch.status);
    });
    return batch;
  };
  const postAction = (id: string, action: string, body: object = {}) =>
    getClient().request<Batch>('POST', `/batches/${id}/${action}`, body);
  return { create, read, listRows, waitForStatus, postAction, createInvalid };
}
