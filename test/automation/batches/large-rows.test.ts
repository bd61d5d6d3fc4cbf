// Tests how batches store and return long values.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { advanceBatch } from '../../../src/automation/batches/advance-batch.ts';
import { claimRows } from '../../../src/automation/batches/store/rows.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow, edge, node } from '../../support/workflows.ts';

interface Row {
  readonly row: number;
  readonly status: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;
}
interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}
interface Batch {
  readonly id: string;
  readonly axes: unknown;
  readonly metadata: unknown;
  readonly truncated?: boolean;
}

let app: TestApp;
let user: ApiUser;
let workflowId: string;
before(async () => {
  app = await openTestApp();
  user = await app.createUser();
  const nodes = [
    node('who', 'input:text'),
    node('also', 'input:text'),
    node('n', 'input:number'),
    node('join', 'utility:prompt_concat', { separator: ', ' }),
    node('out', 'output:preview'),
  ];
  const edges = [
    edge('who.text > join.text1'),
    edge('also.text > join.text2'),
    edge('join.text > out.input'),
  ];
  workflowId = (await createWorkflow(user, { nodes, edges })).id;
});
after(() => app.close());

async function start(body: object): Promise<string> {
  const response = await user.request('POST', `/workflows/${workflowId}/batches`, body);
  assert.equal(response.status, 202, JSON.stringify(response.body).slice(0, 500));
  return String(response.body.batchId);
}

/** Reads the pages of the rows. */
async function readPages(id: string): Promise<readonly (readonly Row[])[]> {
  const pages: (readonly Row[])[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await user.request<Page<Row>>('GET', `/batches/${id}/rows?limit=200${query}`);
    assert.equal(status, 200, body.error);
    pages.push(body.data);
    cursor = body.nextCursor;
  }
  return pages;
}

const listValues = async (id: string): Promise<readonly string[]> => {
  const { rows } = await app.deps.db.query<{ value: string }>(
    'select value from batch_values where batch_id = $1 order by number',
    [id],
  );
  return rows.map(({ value }) => value);
};

const LONG = 'x'.repeat(5000);
const LONG_SEPARATOR = '-'.repeat(2000);

describe('a long value of a batch', () => {
  it('is stored once for all combinations of a matrix', async () => {
    const id = await start({
      matrix: {
        inputs: { who: [LONG, 'short'], n: [1, 2] },
        config: { join: { separator: [LONG_SEPARATOR] } },
      },
    });
    assert.deepEqual(await listValues(id), [JSON.stringify(LONG), JSON.stringify(LONG_SEPARATOR)]);
    const [rows = []] = await readPages(id);
    assert.deepEqual(
      rows.map(({ inputs, config }) => [inputs, config]),
      [
        [LONG, 1],
        [LONG, 2],
        ['short', 1],
        ['short', 2],
      ].map(([who, n]) => [{ who, n }, { join: { separator: LONG_SEPARATOR } }]),
    );
    const lines = await app.app.inject({
      url: `/api/v1/batches/${id}/export?format=jsonl`,
      headers: { authorization: `Bearer ${user.key}` },
    });
    assert.equal(lines.payload.split(LONG_SEPARATOR).length, 5);
    const csv = await app.app.inject({
      url: `/api/v1/batches/${id}/export`,
      headers: { authorization: `Bearer ${user.key}` },
    });
    assert.equal(csv.payload.split(LONG).length, 3);
    await user.request('POST', `/batches/${id}/stop`, {});
  });

  it('is stored once for all inputs that take the same column', async () => {
    const table = await app.app.inject({
      method: 'POST',
      url: '/api/v1/tables',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'text/csv' },
      payload: `text\n${LONG}1\n${LONG}2\n`,
    });
    const { tableId } = table.json<{ tableId: string }>();
    const id = await start({ tableId, mapping: { who: 'text', also: 'text' } });
    assert.deepEqual(await listValues(id), [JSON.stringify(`${LONG}1`), JSON.stringify(`${LONG}2`)]);
    const [rows = []] = await readPages(id);
    assert.deepEqual(
      rows.map(({ inputs }) => inputs),
      [1, 2].map(number => ({ who: `${LONG}${number}`, also: `${LONG}${number}` })),
    );
    await user.request('POST', `/batches/${id}/stop`, {});
  });

  it('stays in its row if no other input takes the column', async () => {
    const inputs = { who: LONG, also: `${LONG}2` };
    const id = await start({ rows: [{ inputs }] });
    assert.deepEqual(await listValues(id), []);
    const [rows = []] = await readPages(id);
    assert.deepEqual(rows[0]?.inputs, inputs);
    await user.request('POST', `/batches/${id}/stop`, {});
  });
});

describe('a row with a long value', () => {
  it('is not started by an earlier version, which would leave out the value', async () => {
    const id = await start({ matrix: { inputs: { who: [LONG], n: [1] } } });
    const claim = `update batch_rows set status = 'running', execution_id = 'ex_1' where batch_id = $1`;
    await assert.rejects(app.deps.db.query(claim, [id]), /newer version/);
    await app.deps.db.transaction(tx =>
      claimRows(tx, id, 1, [{ row_number: 1, bytes: 0, execution_id: 'ex_1', max_credits: null }]),
    );
    const [[row] = []] = await readPages(id);
    assert.equal(row?.status, 'running');
  });
});

describe('a page of rows', () => {
  it('has at most 16 MB', async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const id = await start({ matrix: { inputs: { who: ['x'.repeat(3_900_000)], n: numbers } } });
    const pages = await readPages(id);
    assert.deepEqual(
      pages.map(rows => rows.map(({ row }) => row)),
      [[1, 2, 3], [4, 5, 6], [7]],
    );
    assert.ok(pages.flat().every(({ inputs }) => String(inputs.who).length === 3_900_000));
    await user.request('POST', `/batches/${id}/stop`, {});
  });
});

describe('long metadata of a batch', () => {
  it('is left out in lists', async () => {
    const short = { note: 'x'.repeat(16_000) };
    const long = { note: 'x'.repeat(17_000) };
    const shortId = await start({ rows: [{ inputs: {} }], metadata: short });
    const longId = await start({ rows: [{ inputs: {} }], metadata: long });
    const { body } = await user.request<Page<Batch>>('GET', `/workflows/${workflowId}/batches?limit=2`);
    assert.deepEqual(
      body.data.map(({ id, metadata, truncated }) => [id, metadata, truncated]),
      [
        [longId, null, true],
        [shortId, short, undefined],
      ],
    );
    const { body: batch } = await user.request<Batch>('GET', `/batches/${longId}`);
    assert.deepEqual([batch.metadata, batch.truncated], [long, undefined]);
  });

  it('is left out in events, except in the snapshot', async () => {
    const id = await start({ rows: [{ inputs: {} }], metadata: { note: 'x'.repeat(17_000) } });
    await user.request('POST', `/batches/${id}/stop`, {});
    await advanceBatch(app.deps, id);
    const readEvents = async (headers: Readonly<Record<string, string>>): Promise<readonly Batch[]> => {
      const { payload } = await app.app.inject({
        url: `/api/v1/batches/${id}/events`,
        headers: { authorization: `Bearer ${user.key}`, ...headers },
      });
      return Array.from(payload.matchAll(/^event: (?:snapshot|batch)\n(?:id: .*\n)?data: (.*)$/gm), match =>
        JSON.parse(match[1] ?? ''),
      );
    };
    const [snapshot] = await readEvents({});
    assert.deepEqual([snapshot?.id, snapshot?.truncated], [id, undefined]);
    const [batch] = await readEvents({ 'last-event-id': '0' });
    assert.deepEqual([batch?.id, batch?.metadata, batch?.truncated], [id, null, true]);
  });
});
