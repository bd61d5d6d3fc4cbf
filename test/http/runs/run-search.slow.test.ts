// Tests that lists of runs show and search inputs and results, and show a batch as one row.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ExecutionListItem, WorkspaceRun } from '../../../sdk/src/schemas.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { at, edge, node } from '../../support/workflows.ts';

describe('lists of runs', () => {
  let service: TestService;
  let workflow: string;
  let single: string;
  before(async () => {
    service = await startTestService();
    workflow = await service.createWorkflow({
      name: 'Harbor poster',
      nodes: [
        node('words', 'input:text', { value: 'a red boat' }),
        node('picture', 'generate:sandbox', { width: 64, height: 64 }, at(400, 0)),
      ],
      edges: [edge('words.text > picture.prompt')],
    });
    single = (await service.runWorkflow(workflow, { inputs: { words: 'Красный корабль 夜の港' } })).id;
    const rows = ['one tower', 'two towers', 'three towers'].map(words => ({ inputs: { words } }));
    const { body } = await service.request('POST', `/workflows/${workflow}/batches`, { rows });
    await waitUntil('the batch has completed', async () => {
      const batch = await service.request<{ status: string }>('GET', `/batches/${body.batchId}`);
      return batch.body.status === 'COMPLETED';
    });
  });
  after(() => service?.close());

  const list = async <T = ExecutionListItem>(path: string, query: Record<string, string>) => {
    const { status, body } = await service.request<{ data: T[] }>(
      'GET',
      `${path}?${new URLSearchParams(query)}`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const listPaths = () => ['/executions', `/workflows/${workflow}/executions`, '/workspace/executions'];

  it('show the beginnings of inputs and results', async () => {
    for (const path of listPaths()) {
      const run = (await list(path, {})).find(({ id }) => id === single);
      assert.deepEqual(
        run?.preview?.inputs.map(({ text }) => text),
        ['Красный корабль 夜の港'],
      );
      const [output] = run?.preview?.outputs ?? [];
      assert.equal(output?.contentType, 'image/png');
      assert.match(output?.url ?? '', /\/cdn\/med_\w+\/.+\.png$/);
    }
  });

  it('find words of inputs, in any order and script, and the names of workflows', async () => {
    for (const path of listPaths()) {
      const find = async (q: string) => (await list(path, { q })).map(({ id }) => id);
      for (const q of ['корабль КРАСН', '港', '夜の', 'красный 港'])
        assert.deepEqual(await find(q), [single], `${path} ${q}`);
      assert.equal((await find('tower')).length, 3, path);
      assert.deepEqual(await find('boat'), [], path);
      if (!path.includes('workflows')) assert.deepEqual(await find('poster корабль'), [single], path);
    }
  });

  it('can be filtered by what started the run', async () => {
    for (const path of listPaths()) {
      assert.equal((await list(path, { trigger: 'batch' })).length, 3);
      assert.deepEqual(
        (await list(path, { trigger: 'api' })).map(({ id }) => id),
        [single],
      );
      assert.equal((await list(path, { trigger: 'batch', q: 'two' })).length, 1);
    }
  });

  it('can leave out runs of schedules, triggers and visitors of apps', async () => {
    await service.db.query(`update executions set trigger = 'hook' where id = $1`, [single]);
    for (const path of listPaths().filter(each => !each.startsWith('/workspace'))) {
      assert.ok((await list(path, { automated: 'false' })).every(({ trigger }) => trigger === 'batch'));
      assert.deepEqual(
        (await list(path, { automated: 'true', groupBatches: 'true' })).map(({ id }) => id),
        [single],
      );
    }
    await service.db.query(`update executions set trigger = 'api' where id = $1`, [single]);
  });

  it('show a batch as one row', async () => {
    for (const path of listPaths()) {
      const [batch, run, ...others] = await list<WorkspaceRun>(path, { groupBatches: 'true' });
      assert.equal(batch?.trigger, 'batch');
      assert.deepEqual(batch?.batch && { ...batch.batch, id: '' }, {
        id: '',
        total: 3,
        completed: 3,
        failed: 0,
        running: 0,
      });
      assert.equal(run?.id, single);
      assert.deepEqual(others, []);
      assert.equal((await list(path, { groupBatches: 'true', q: 'tower' })).length, 1);
    }
  });

  it('forget the words of deleted runs', async () => {
    assert.equal((await service.request('DELETE', `/executions/${single}`)).status, 200);
    const { rows } = await service.db.query('select from run_digests where execution_id = $1', [single]);
    assert.equal(rows.length, 0);
  });
});
