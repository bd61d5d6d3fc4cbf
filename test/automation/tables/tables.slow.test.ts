// Tests the formats, encodings, problems and limits of tables over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { type Batch, createBatchClient, GRAPH } from '../batches/support.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const { create, listRows, waitForStatus, createInvalid } = createBatchClient(() => service);

describe('a table', () => {
  const upload = async (text: string | Buffer, type = 'text/csv', key = service.key) => {
    const response = await fetch(`${service.url}/api/v1/tables`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      body: text,
    });
    const location = response.headers.get('location');
    return { status: response.status, location, body: (await response.json()) as Record<string, unknown> };
  };

  it('is checked up to 1,000 problems, however many inputs take a column', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `n${index}`);
    const workflow = await service.createWorkflow({
      nodes: [...ids.map(id => node(id, 'input:number')), node('out', 'output:preview')],
      edges: [edge('n0.number > out.input')],
    });
    const { body } = await upload(`a\n${'x\n'.repeat(100)}`);
    const mapping = Object.fromEntries(ids.map(id => [id, 'a']));
    const request = { tableId: body.tableId, mapping };
    for (const path of [`/workflows/${workflow}/batches/estimate`, `/workflows/${workflow}/batches`]) {
      const refusal = await service.request<Batch & { error: string }>('POST', path, request);
      assert.deepEqual([refusal.status, refusal.body.code], [400, 'invalid_rows']);
      assert.equal(refusal.body.issues?.length, 1000);
      assert.match(
        JSON.stringify(refusal.body),
        /Line 2: Column \\"a\\" must be a number\. 999 more .* checking stopped/,
      );
    }
  });

  it('may be mapped to 100 MB of inputs', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const workflow = await service.createWorkflow({
      nodes: [...ids.map(id => node(id, 'input:text')), node('out', 'output:preview')],
      edges: [edge('t0.text > out.input')],
    });
    const { body } = await upload(`a\n${`${'x'.repeat(11_000)}\n`.repeat(35)}`);
    const mapping = Object.fromEntries(ids.map(id => [id, 'a']));
    const path = `/workflows/${workflow}/batches/estimate`;
    const refusal = await service.request('POST', path, { tableId: body.tableId, mapping });
    assert.deepEqual([refusal.status, refusal.body.code], [413, 'payload_too_large']);
  });

  it('provides the rows of a batch by a mapping of its columns', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const csv = 'id;name;age\r\nr1;"Müller; A";42\r\nr2;=SUM(1);\r\n';
    const { status, location, body } = await upload(`\ufeff${csv}`);
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(new URL(location ?? '').pathname, `/api/v1/tables/${body.tableId}`);
    assert.deepEqual(
      [body.format, body.delimiter, body.encoding, body.columns, body.total, body.problems],
      ['csv', 'semicolon', 'utf-8', ['id', 'name', 'age'], 2, []],
    );
    const { tableId } = body;
    assert.equal((await service.request('GET', `/tables/${tableId}`)).body.total, 2);
    const unknownColumn = { tableId, mapping: { who: 'surname' } };
    assert.match(JSON.stringify(await createInvalid(workflow, unknownColumn)), /It has \\"id\\"/);
    const { batchId } = await create(workflow, {
      tableId,
      mapping: { who: 'name', n: 'age' },
      keyColumn: 'id',
    });
    await waitForStatus(batchId, 'COMPLETED');
    const rows = await listRows(batchId);
    assert.deepEqual(
      rows.map(({ key, inputs }) => [key, inputs]),
      [
        ['r1', { who: 'Müller; A', n: 42 }],
        ['r2', { who: '=SUM(1)' }],
      ],
    );
    const exported = await fetch(`${service.url}/api/v1/batches/${batchId}/export`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const text = await exported.text();
    assert.match(text, /^row,key,status,input: who,input: n,/);
    assert.match(text, /2,r2,completed,"'=SUM\(1\)",,"'=SUM\(1\)"/);
  });

  it('is refused for a batch if it has invalid rows', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { body } = await upload('name,age\nAnna,1\nBob\n\nCid,old\n');
    assert.deepEqual(
      (body.problems as { line: number }[]).map(({ line }) => line),
      [3, 4],
    );
    const refusal = await createInvalid(workflow, {
      tableId: body.tableId,
      mapping: { who: 'name', n: 'age' },
    });
    assert.equal(refusal.code, 'invalid_rows');
    assert.deepEqual(
      refusal.issues?.map(({ path }) => path),
      ['/tableId/3', '/tableId/4', '/tableId/5'],
    );
  });

  it('is decoded in the encoding of its bytes', async () => {
    const text = `name\n${'Grüße, 世界 🦊\n'.replace(', ', ' ').repeat(9000)}`;
    const utf16 = Buffer.from(text, 'utf16le');
    // 世界 in GB 18030.
    const gb18030 = Buffer.from(`name\n${'\xca\xc0\xbd\xe7\n'.repeat(9000)}`, 'latin1');
    const files: readonly (readonly [encoding: string, bytes: Buffer, firstCell: string])[] = [
      ['utf-8', Buffer.from(text), 'Grüße 世界 🦊'],
      ['utf-8', Buffer.from(`\ufeff${text}`), 'Grüße 世界 🦊'],
      ['utf-16le', Buffer.concat([Buffer.of(0xff, 0xfe), utf16]), 'Grüße 世界 🦊'],
      ['utf-16be', Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from(utf16).swap16()]), 'Grüße 世界 🦊'],
      ['utf-16le', Buffer.from('name,age\nAnna,1\n', 'utf16le'), 'Anna'],
      ['gb18030', gb18030, '世界'],
      // Only the end of the file shows that it is not UTF-8.
      [
        'gb18030',
        Buffer.concat([Buffer.from(`name\n${'x\n'.repeat(90_000)}`), gb18030.subarray(5, 10)]),
        'x',
      ],
    ];
    for (const [encoding, bytes, firstCell] of files) {
      const { status, body } = await upload(bytes);
      const [[cell]] = body.sample as [[string]];
      assert.deepEqual([status, body.encoding, cell, body.problems], [201, encoding, firstCell, []]);
    }
  });

  it('is decoded as the request says', async () => {
    const { key } = await service.createUser();
    const cafe = Buffer.from('name\ncaf\x8e\n', 'latin1');
    const read = async (response: Response) => {
      const { encoding, sample, error } = (await response.json()) as {
        readonly encoding?: string;
        readonly sample?: readonly (readonly string[])[];
        readonly error?: string;
      };
      return error ?? `${encoding} ${sample?.[0]?.[0]}`;
    };
    const post = (query: string, body: Buffer | FormData, type?: string) =>
      fetch(`${service.url}/api/v1/tables${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) },
        body,
      });
    const toForm = (type: string) => {
      const form = new FormData();
      form.set('file', new Blob([cafe], { type }), 'rows.csv');
      return form;
    };
    assert.equal(await read(await post('?encoding=macintosh', cafe, 'text/csv')), 'macintosh café');
    assert.equal(await read(await post('', cafe, 'text/csv; charset=macintosh')), 'macintosh café');
    assert.equal(await read(await post('', toForm('text/csv;charset=macintosh'))), 'macintosh café');
    const utf8 = Buffer.from('name\ncafé\n');
    assert.equal(await read(await post('', utf8, 'text/csv; charset=us-ascii')), 'utf-8 café');
    assert.equal(
      await read(await post('?encoding=iso-8859-1', utf8, 'text/csv; charset=utf-8')),
      'windows-1252 cafÃ©',
    );
    assert.equal(await read(await post('?encoding=koi8-r', toForm('text/csv;charset=big5'))), 'koi8-r caf▌');
    for (const [query, type] of [
      ['', 'text/csv'],
      ['', 'text/csv; charset=utf-8'],
      ['?encoding=klingon', 'text/csv'],
    ] as const) {
      const refusal = await post(query, cafe, type);
      assert.equal(refusal.status, 400);
      assert.match(await read(refusal), /Set the encoding, such as windows-1252/);
    }
  });

  it('may end its lines with LF, CRLF or CR', async () => {
    const { key } = await service.createUser();
    const [first, quoted] = ['Anna', '"Bob\nand ""Cid"""'];
    for (const newline of ['\n', '\r\n', '\r'])
      for (const end of ['', newline, newline + newline]) {
        const lines = [
          'name,age',
          `${first},1`,
          `${quoted},2`,
          'short',
          `${'x'.repeat(70_000)},3`,
          ...Array(9000).fill('y,4'),
        ];
        const { body } = await upload(lines.join(newline) + end, 'text/csv', key);
        const details = JSON.stringify([newline, end]);
        assert.deepEqual(body.columns, ['name', 'age'], details);
        assert.equal(body.total, 9004, details);
        const sample = body.sample as readonly (readonly string[])[];
        assert.deepEqual(
          sample.slice(0, 2),
          [
            ['Anna', '1'],
            ['Bob\nand "Cid"', '2'],
          ],
          details,
        );
        // The line number includes line breaks in cells.
        assert.deepEqual(
          body.problems,
          [{ line: 5, message: 'The row has 1 cell, but the table has 2 columns.' }],
          details,
        );
      }
  });

  it('is refused if its user would store more than 200 MB', async () => {
    const { key } = await service.createUser();
    const send = () => upload('a\n1\n', 'text/csv', key);
    const first = await send();
    assert.equal(first.status, 201);
    // Makes the first table so large that one more of the same size as before takes exactly 200 MB.
    const { rowCount } = await service.db.query(
      'update tables set bytes = 200000000 - bytes where id = $1 and bytes > 0',
      [first.body.tableId],
    );
    assert.equal(rowCount, 1);
    assert.equal((await send()).status, 201);
    const refusal = await send();
    assert.equal(refusal.status, 409);
    assert.match(`${refusal.body.code} ${refusal.body.error}`, /conflict .*200 MB/);
  });

  it('is refused if its user has 20 tables without a batch', async () => {
    const { key } = await service.createUser();
    const request = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const ids: string[] = [];
    for (let table = 0; table < 20; table++)
      ids.push(String((await upload('name\nAnna\n', 'text/csv', key)).body.tableId));
    const refusal = await upload('a\n1\n', 'text/csv', key);
    assert.equal(refusal.status, 409);
    assert.match(String(refusal.body.error), /20 tables without a batch.*DELETE \/api\/v1\/tables\/\{id\}/);
    // A table with an accepted batch does not count, and neither does a deleted one.
    const { body: workflow } = await request('POST', '/workflows', { name: 'Names', ...GRAPH });
    const mapping = { tableId: ids[0], mapping: { who: 'name' } };
    assert.equal((await request('POST', `/workflows/${workflow.id}/batches/estimate`, mapping)).status, 200);
    assert.equal((await upload('a\n1\n', 'text/csv', key)).status, 409);
    assert.equal((await request('POST', `/workflows/${workflow.id}/batches`, mapping)).status, 202);
    assert.equal((await upload('a\n1\n', 'text/csv', key)).status, 201);
    assert.equal((await upload('a\n1\n', 'text/csv', key)).status, 409);
    assert.equal((await request('DELETE', `/tables/${ids[1]}`)).status, 200);
    assert.equal((await request('GET', `/tables/${ids[1]}`)).status, 404);
    assert.equal((await upload('a\n1\n', 'text/csv', key)).status, 201);
    const listed: Record<string, unknown>[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await request('GET', `/tables?limit=8${cursor === '' ? '' : `&cursor=${cursor}`}`);
      listed.push(...(body.data as Record<string, unknown>[]));
      cursor = body.nextCursor;
    }
    assert.deepEqual(
      listed.slice(2).map(({ tableId, isUsed }) => [tableId, isUsed]),
      [
        ...ids
          .slice(2)
          .reverse()
          .map(id => [id, false]),
        [ids[0], true],
      ],
    );
    const { createdAt, expiresAt } = listed[0] as { createdAt: string; expiresAt: string };
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 24 * 3_600_000);
  });

  it('that is deleted while a batch reads it refuses the batch', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { body } = await upload('name\nAnna\n');
    // As if the table was deleted after the first query.
    await service.db.query('delete from table_chunks where table_id = $1', [body.tableId]);
    const refusal = await service.request<Batch>('POST', `/workflows/${workflow}/batches`, {
      tableId: body.tableId,
      mapping: { who: 'name' },
    });
    assert.deepEqual([refusal.status, refusal.body.code], [404, 'not_found']);
  });

  it('can be sent as a form', async () => {
    const form = new FormData();
    form.set(
      'file',
      new Blob(['{"a":"x"}\n{"a":"y","b":[1]}\n'], { type: 'application/x-ndjson' }),
      'rows.jsonl',
    );
    const response = await fetch(`${service.url}/api/v1/tables`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body: form,
    });
    const body = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, body.format, body.columns], [201, 'jsonl', ['a', 'b']]);
    for (const type of ['image/png', 'application/vnd.ms-excel', 'application/xml']) {
      const refusal = await upload('a,b', type);
      assert.equal(refusal.status, 415);
      assert.match(
        String(refusal.body.error),
        /Send the table as text\/csv, .* application\/json, or as a file/,
      );
    }
    const workbook = await upload(Buffer.from('PK\x03\x04\x14\0', 'latin1'));
    assert.deepEqual([workbook.status, workbook.body.code], [415, 'unsupported_type']);
    const array = await upload('[{"a":7615917337495251231},{"a":1.10}]', 'application/json');
    assert.deepEqual([array.status, array.body.columns, array.body.total], [201, ['a'], 2]);
    for (const path of ['/tables', `/tables/${array.body.tableId}`]) {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method: path === '/tables' ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
        ...(path === '/tables' && { body: '{"a":7615917337495251231}\n{"a":1.10}\n' }),
      });
      assert.match(await response.text(), /"sample":\[\[7615917337495251231\],\[1\.1/);
    }
    const wide = `a\n${`${'x'.repeat(999)}\n`.repeat(8000)}`;
    assert.equal((await upload(wide)).body.total, 8000);
    const tooLarge = await upload(`a\n${`${'x'.repeat(999)}\n`.repeat(50_001)}`);
    assert.deepEqual([tooLarge.status, tooLarge.body.code], [413, 'file_too_large']);
    assert.equal((await service.request('GET', '/tables/tbl_none')).status, 404);
  });
});
