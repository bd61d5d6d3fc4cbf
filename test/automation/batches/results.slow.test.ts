// Tests the results of a batch over HTTP: rows with ratings and picks, exports and events.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../support/service.ts';
import { createBatchClient, GRAPH, type Row, textRows } from './support.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const { create, listRows, waitForStatus, postAction } = createBatchClient(() => service);

describe('the rows of a batch', () => {
  it('can be rated and picked', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(3) });
    await waitForStatus(batchId, 'COMPLETED');
    const changeRow = (row: number, body: object) =>
      service.request<Row>('PATCH', `/batches/${batchId}/rows/${row}`, body);
    const { body } = await changeRow(2, { rating: 5, isPicked: true });
    assert.deepEqual([body.row, body.rating, body.isPicked], [2, 5, true]);
    assert.equal((await changeRow(2, { rating: null })).body.rating, null);
    assert.equal((await changeRow(2, { rating: 6 })).status, 400);
    assert.equal((await changeRow(9, { rating: 1 })).status, 404);
    assert.deepEqual(
      (await listRows(batchId, '&picked=true')).map(({ row }) => row),
      [2],
    );
  });

  it('can be listed in pages sorted by rating', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(7) });
    await waitForStatus(batchId, 'COMPLETED');
    for (const [row, rating] of [
      [2, 3],
      [4, 5],
      [5, 3],
      [7, 1],
    ])
      await service.request('PATCH', `/batches/${batchId}/rows/${row}`, { rating });
    const rowNumbers: number[] = [];
    let cursor = '';
    do {
      const { body } = await service.request<{ data: readonly Row[]; nextCursor: string | null }>(
        'GET',
        `/batches/${batchId}/rows?sort=rating&limit=2${cursor}`,
      );
      rowNumbers.push(...body.data.map(({ row }) => row));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    assert.deepEqual(rowNumbers, [4, 2, 5, 7, 1, 3, 6]);
    const rated = await listRows(batchId, '&sort=rating&status=completed&rows=1,5,7');
    assert.deepEqual(
      rated.map(({ row }) => row),
      [5, 7, 1],
    );
    for (const query of ['sort=price', 'rows=0', 'rows=1,,2', `rows=${Array(201).fill(1).join(',')}`])
      assert.equal((await service.request('GET', `/batches/${batchId}/rows?${query}`)).status, 400, query);
  });
});

describe('the export of a batch', () => {
  it('contains a line or a file for each result', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: [{ key: 'a/b', inputs: { who: 'Anna' } }] });
    await waitForStatus(batchId, 'COMPLETED');
    const download = async (format: string) => {
      const response = await fetch(`${service.url}/api/v1/batches/${batchId}/export?format=${format}`, {
        headers: { authorization: `Bearer ${service.key}` },
      });
      return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const lines = await download('jsonl');
    assert.match(lines.type ?? '', /ndjson/);
    assert.deepEqual((JSON.parse(String(lines.bytes)) as Row).outputs[0]?.text, 'Anna');
    const csv = await download('csv');
    assert.equal(csv.bytes.toString('utf8', 0, 4), 'row,');
    const marked = await download('csv&bom=true');
    assert.deepEqual(marked.bytes, Buffer.concat([Buffer.from('\ufeff'), csv.bytes]));
    assert.equal(marked.type, 'text/csv; charset=utf-8; header=present');
    assert.deepEqual((await download('jsonl&bom=true')).bytes, lines.bytes);
    const zip = await download('zip');
    assert.equal(zip.bytes.toString('latin1', 0, 2), 'PK');
    assert.match(zip.bytes.toString('latin1'), /1-a-b-[\w-]+\.txt/);
  });

  it('numbers the files so that they are sorted like the rows', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(10) });
    await waitForStatus(batchId, 'COMPLETED');
    const response = await fetch(`${service.url}/api/v1/batches/${batchId}/export?format=zip`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const names = new Set(Array.from(text.matchAll(/(\d+)-[\w-]+\.txt/g), ([, number]) => number));
    assert.deepEqual([...names], ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10']);
  });
});

describe('the events of a batch', () => {
  it('start with a snapshot and can be resumed after an event id', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { batchId } = await create(workflow, { rows: textRows(3), firstRows: 1 });
    await waitForStatus(batchId, 'PAUSED');
    const open = (lastId?: string): Promise<Response> =>
      fetch(`${service.url}/api/v1/batches/${batchId}/events`, {
        headers: {
          authorization: `Bearer ${service.key}`,
          ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        },
      });
    const stream = await open();
    await postAction(batchId, 'resume');
    const text = await stream.text();
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
      event,
      data: JSON.parse(data ?? '') as { row?: number; status: string },
    }));
    assert.equal(events[0]?.event, 'snapshot');
    const rows = events.filter(({ event }) => event === 'row');
    assert.deepEqual(
      new Set(rows.filter(({ data }) => data.status === 'completed').map(({ data }) => data.row)),
      new Set([2, 3]),
    );
    assert.equal(events.findLast(({ event }) => event === 'batch')?.data.status, 'COMPLETED');
    const resumedText = await (await open('1')).text();
    assert.doesNotMatch(resumedText, /event: snapshot/);
    assert.match(resumedText, /event: row/);
  });
});
