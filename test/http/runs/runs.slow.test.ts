// Tests runs over HTTP: starting, waiting, cancelling, timeouts and limits, and the record of a run.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { type Execution, mapStates } from '../../support/client.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node, PAIR } from '../../support/workflows.ts';

const MAX_RUNS = 2;
const DELAYED = {
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('d', 'logic:delay', { ms: 60_000 }),
    node('b', 'output:preview'),
  ],
  edges: [edge('a.text > d.input'), edge('d.output > b.input')],
};
const APPROVED = {
  nodes: DELAYED.nodes.with(1, node('d', 'logic:approval')),
  edges: [edge('a.text > d.input'), edge('d.approved > b.input')],
};

let service: TestService;
let receiver: Receiver;
before(async () => {
  service = await startTestService({ MAX_CONCURRENT_RUNS: String(MAX_RUNS), ALLOW_PRIVATE_NETWORK: 'true' });
  receiver = await startReceiver();
});
after(async () => {
  await service.close();
  await receiver.close();
});

/** Creates a graph with a request to the receiver, which lasts until the receiver answers. */
const createRequestGraph = (path: string) => ({
  nodes: [node('r', 'utility:http_request', { url: `${receiver.url}${path}` }), node('b', 'output:preview')],
  edges: [edge('r.text > b.input')],
});
const countRequests = (path: string): number => receiver.received.filter(item => item.path === path).length;
const cancel = (id: string) => service.request<Execution>('POST', `/executions/${id}/cancel`);
const assertRefused = async (workflow: string, body: object, status: number, code: string) => {
  const response = await service.request<{ code: string; issues?: { path: string; nodeId?: string }[] }>(
    'POST',
    `/workflows/${workflow}/run`,
    body,
  );
  assert.deepEqual([response.status, response.body.code], [status, code]);
  return response.body;
};

describe('a run', () => {
  it('is accepted with 202 and a Location', async () => {
    const workflow = await service.createWorkflow(PAIR);
    const { status, headers, body } = await service.request<Record<string, unknown>>(
      'POST',
      `/workflows/${workflow}/run`,
      { metadata: { z: 1, a: 2 } },
    );
    const base = `http://localhost:3000/api/v1/executions/${body.executionId}`;
    assert.deepEqual([status, headers.get('location')], [202, base]);
    assert.deepEqual([body.workflowId, body.status, body.estimatedCredits], [workflow, 'QUEUED', 0]);
    assert.deepEqual(body.urls, { self: base, events: `${base}/events`, cancel: `${base}/cancel` });
    const record = await service.waitForStatus(String(body.executionId));
    assert.equal(record.status, 'COMPLETED');
    assert.deepEqual(Object.keys(record.metadata ?? {}), ['z', 'a']);
    assert.deepEqual(record.progress, { done: 2, total: 2 });
    assert.equal(mapStates(record).b?.text, 'x');
  });

  it('is returned when finished if the request has Prefer: wait', async () => {
    const fastWorkflow = await service.createWorkflow(PAIR);
    const finished = await service.request<Execution>(
      'POST',
      `/workflows/${fastWorkflow}/execute`,
      {},
      { prefer: 'wait=9' },
    );
    assert.deepEqual(
      [finished.status, finished.body.status, finished.headers.get('preference-applied')],
      [200, 'COMPLETED', 'wait=9'],
    );
    const slowWorkflow = await service.createWorkflow(DELAYED);
    const unfinished = await service.request<{ executionId: string; status: string }>(
      'POST',
      `/workflows/${slowWorkflow}/run`,
      {},
      { prefer: 'wait=1' },
    );
    assert.deepEqual([unfinished.status, unfinished.body.status], [202, 'RUNNING']);
    await cancel(unfinished.body.executionId);
    await service.waitForStatus(unfinished.body.executionId, 'CANCELLED');
  });

  it('uses the inputs and targets of the request', async () => {
    const workflow = await service.createWorkflow({
      nodes: [...PAIR.nodes, node('c', 'input:number', { value: 1 }), node('e', 'output:preview')],
      edges: [...PAIR.edges, edge('c.number > e.input')],
    });
    const record = await service.runWorkflow(workflow, { inputs: { c: 7 }, targets: ['e'] });
    assert.deepEqual(
      record.nodeStates.map(({ nodeId, value }) => [nodeId, value]),
      [
        ['c', 7],
        ['e', 7],
      ],
    );
    const body = await assertRefused(workflow, { inputs: { nobody: 1, b: 2 } }, 400, 'invalid_inputs');
    assert.deepEqual(
      body.issues?.map(({ path }) => path),
      ['/inputs/nobody', '/inputs/b'],
    );
    await assertRefused(workflow, { inputs: { a: { not: 'a text' } } }, 400, 'invalid_inputs');
    await assertRefused(workflow, { targets: ['nobody'] }, 400, 'invalid_request');
    await assertRefused(workflow, { inputs: 1 }, 400, 'invalid_request');
    await assertRefused(workflow, { webhook: { url: 'ftp://x' }, inputs: 1 }, 400, 'invalid_webhook');
    await assertRefused(workflow, { webhook: null }, 400, 'invalid_webhook');
  });

  it('is refused with cyclic_graph only if the cycle would run', async () => {
    const workflow = await service.createWorkflow({
      nodes: [...PAIR.nodes, node('p', 'utility:text_replace'), node('q', 'utility:text_replace')],
      edges: [...PAIR.edges, edge('p.text > q.text'), edge('q.text > p.text')],
    });
    await assertRefused(workflow, {}, 400, 'cyclic_graph');
    assert.equal((await service.runWorkflow(workflow, { targets: ['b'] })).status, 'COMPLETED');
  });

  it('is refused for a disabled or unknown workflow', async () => {
    const workflow = await service.createWorkflow({ ...PAIR, isActive: false });
    await assertRefused(workflow, {}, 400, 'workflow_inactive');
    await assertRefused('wf_00000000000000000000000000', {}, 404, 'not_found');
  });

  it('executes the graph of the time at which the run was accepted', async () => {
    const workflow = await service.createWorkflow(createRequestGraph('/as-it-stood'));
    receiver.answer(() => undefined);
    const id = await service.startRun(workflow);
    await waitUntil('the request', () => countRequests('/as-it-stood') === 1);
    const { status } = await service.request('PUT', `/workflows/${workflow}`, PAIR);
    assert.equal(status, 200);
    const graph = await service.request<{ nodes: { id: string }[]; workflowVersion: number }>(
      'GET',
      `/executions/${id}/workflow`,
    );
    assert.deepEqual([graph.body.workflowVersion, graph.body.nodes.map(({ id }) => id)], [1, ['r', 'b']]);
    assert.deepEqual(Object.keys(mapStates(await service.readExecution(id))), ['r', 'b']);
    await cancel(id);
    await service.waitForStatus(id, 'CANCELLED');
  });

  it('ends as TIMEOUT after timeoutMs, not counting delay nodes', async () => {
    receiver.answer(() => undefined);
    const hanging = await service.createWorkflow(createRequestGraph('/hang'));
    const record = await service.runWorkflow(hanging, { timeoutMs: 200 });
    assert.deepEqual(
      [record.status, record.error?.code, mapStates(record).r?.status],
      ['TIMEOUT', 'timeout', 'CANCELLED'],
    );
    // On a busy machine, only a longer limit suffices for the run itself.
    const runDelayed = async (limitMs: number): Promise<string> => {
      const nodes = DELAYED.nodes.with(1, node('d', 'logic:delay', { ms: limitMs * 1.5 }));
      const { status } = await service.runWorkflow(await service.createWorkflow({ ...DELAYED, nodes }), {
        timeoutMs: limitMs,
      });
      return status;
    };
    const status = await runDelayed(600);
    assert.equal(status === 'TIMEOUT' ? await runDelayed(10_000) : status, 'COMPLETED');
  });

  it('fails with the error of a node after the other branches finished', async () => {
    receiver.answer(res => res.writeHead(500).end());
    const workflow = await service.createWorkflow({
      nodes: [
        ...createRequestGraph('/fails').nodes,
        ...PAIR.nodes.map(item => ({ ...item, id: `${item.id}2` })),
      ],
      edges: [...createRequestGraph('/fails').edges, edge('a2.text > b2.input')],
    });
    const record = await service.runWorkflow(workflow);
    assert.deepEqual(
      [record.status, record.error?.nodeId, record.error?.code],
      ['FAILED', 'r', 'http_error'],
    );
    const states = mapStates(record);
    assert.deepEqual([states.b?.status, states.b2?.status], ['SKIPPED', 'COMPLETED']);
  });

  it('reuses cached results unless useCache is false', async () => {
    const workflow = await service.createWorkflow({
      nodes: [
        node('a', 'input:text', { value: 'a lake' }),
        node('p', 'generate:sandbox', { width: 64, height: 64 }),
      ],
      edges: [edge('a.text > p.prompt')],
    });
    const first = mapStates(await service.runWorkflow(workflow)).p;
    await waitUntil('the result to be cached', async () => {
      const { rows } = await service.db.query('select from node_cache');
      return rows.length > 0;
    });
    const second = mapStates(await service.runWorkflow(workflow)).p;
    assert.deepEqual([first?.cached, second?.cached, second?.outputUrl], [false, true, first?.outputUrl]);
    const third = mapStates(await service.runWorkflow(workflow, { useCache: false })).p;
    assert.deepEqual([third?.cached, third?.outputUrl === first?.outputUrl], [false, false]);
  });

  it('says from which seeds models made their results, also in the details of the media', async () => {
    const workflow = await service.createWorkflow({
      nodes: [
        node('prompts', 'input:list', { items: ['a lake', 'a hill'] }),
        node('p', 'generate:sandbox', { width: 64, height: 64, seed: 77 }),
        node('q', 'generate:sandbox', { prompt: 'one', width: 64, height: 64, seed: 78 }),
        node('end', 'output:preview'),
      ],
      edges: [edge('prompts.list > p.prompt'), edge('q.image > end.input')],
    });
    const record = await service.runWorkflow(workflow);
    const { p, q, end, prompts } = mapStates(record);
    assert.deepEqual([p?.seeds, p?.seed, q?.seed, end?.seed], [[77, 77], undefined, 78, 78]);
    assert.deepEqual([prompts?.seeds, record.outputs?.map(({ seed }) => seed)], [undefined, [78]]);
    const { body } = await service.request<{ data: readonly { seed: number | null }[] }>(
      'GET',
      '/media?origin=output&limit=3',
    );
    assert.deepEqual(body.data.map(({ seed }) => seed).sort(), [77, 77, 78]);
  });

  it('accepts pictures by external URL, media id and media URL', async () => {
    const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    receiver.answer(res => res.writeHead(200, { 'content-type': 'image/png' }).end(png));
    const workflow = await service.createWorkflow({
      nodes: [node('i', 'input:image'), node('r', 'utility:image_info')],
      edges: [edge('i.image > r.image')],
    });
    const externalImage = mapStates(
      await service.runWorkflow(workflow, { inputs: { i: `${receiver.url}/red.png` } }),
    ).i;
    const url = externalImage?.outputUrl ?? '';
    const mediaId = /med_[^/]+/.exec(url)?.[0];
    for (const i of [url, { url }, { mediaId }]) {
      const record = await service.runWorkflow(workflow, { inputs: { i } });
      assert.deepEqual([record.status, mapStates(record).i?.outputUrl], ['COMPLETED', url]);
    }
    const runWithUnknownMedia = await service.runWorkflow(workflow, {
      inputs: { i: { mediaId: 'med_00000000000000000000000000' } },
    });
    assert.deepEqual([runWithUnknownMedia.status, runWithUnknownMedia.error?.nodeId], ['FAILED', 'i']);
  });

  it('fails with invalid_config if config has a URL for a media port', async () => {
    const workflow = await service.createWorkflow({
      nodes: [node('r', 'utility:image_info', { image: `${receiver.url}/red.png` })],
      edges: [],
    });
    const record = await service.runWorkflow(workflow);
    assert.deepEqual([record.status, record.error?.code], ['FAILED', 'invalid_config']);
  });
});

describe('POST /executions/{id}/cancel', () => {
  it('stops a run during a request of a node', async () => {
    receiver.answer(() => undefined);
    const id = await service.startRun(await service.createWorkflow(createRequestGraph('/cancelled')));
    await waitUntil('the request', () => countRequests('/cancelled') === 1);
    const { status, body } = await cancel(id);
    assert.equal(status, 200);
    assert.ok(['CANCELLING', 'CANCELLED'].includes(body.status), body.status);
    const record = await service.waitForStatus(id);
    assert.deepEqual([record.status, record.error?.code], ['CANCELLED', 'cancelled']);
    assert.equal(mapStates(record).r?.status, 'CANCELLED');
    assert.deepEqual((await cancel(id)).body, record);
  });

  for (const [name, graph, status] of [
    ['delays', DELAYED, 'RUNNING'],
    ['waits for a decision', APPROVED, 'WAITING'],
  ] as const) {
    it(`immediately ends a run that ${name}`, async () => {
      const id = await service.startRun(await service.createWorkflow(graph));
      await waitUntil('the node to wait', async () => {
        const record = await service.readExecution(id);
        return record.status === status && mapStates(record).d?.status === 'WAITING';
      });
      await waitUntil('its lease to be released', async () => {
        const { rows } = await service.db.query(
          'select from executions where id = $1 and worker_id is null',
          [id],
        );
        return rows.length === 1;
      });
      const { body } = await cancel(id);
      assert.equal(body.status, 'CANCELLED');
      const states = mapStates(body);
      assert.deepEqual(
        [states.a?.status, states.d?.status, states.b?.status],
        ['COMPLETED', 'CANCELLED', 'CANCELLED'],
      );
    });
  }

  it('ends a queued run and does not change a finished run', async () => {
    receiver.answer(() => undefined);
    const hanging = await service.createWorkflow(createRequestGraph('/full'));
    const activeIds = await Promise.all([service.startRun(hanging), service.startRun(hanging)]);
    await waitUntil('the requests', () => countRequests('/full') === MAX_RUNS);
    const pair = await service.createWorkflow(PAIR);
    const id = await service.startRun(pair);
    assert.equal((await cancel(id)).body.status, 'CANCELLED');
    assert.equal((await service.readExecution(id)).startedAt, null);
    for (const id of activeIds) await cancel(id);
    for (const id of activeIds) await service.waitForStatus(id, 'CANCELLED');
    const finishedRun = await service.runWorkflow(pair);
    assert.deepEqual((await cancel(finishedRun.id)).body, finishedRun);
  });
});

describe('MAX_CONCURRENT_RUNS', () => {
  it('keeps further runs of an account QUEUED until another run ends', async () => {
    receiver.answer(() => undefined);
    const hanging = await service.createWorkflow(createRequestGraph('/limited'));
    const ids = await Promise.all(Array.from({ length: 10 }, () => service.startRun(hanging)));
    await waitUntil('the first two', () => countRequests('/limited') === MAX_RUNS);
    const sendResponses: (() => void)[] = [];
    receiver.answer(res => sendResponses.push(() => res.writeHead(200).end('ok')));
    const statuses = await Promise.all(ids.map(async id => (await service.readExecution(id)).status));
    assert.deepEqual(statuses.filter(status => status === 'RUNNING').length, MAX_RUNS);
    assert.deepEqual(statuses.filter(status => status === 'QUEUED').length, 10 - MAX_RUNS);

    const otherUser = await service.createUser();
    assert.equal((await otherUser.runWorkflow(await otherUser.createWorkflow(PAIR))).status, 'COMPLETED');

    for (const id of ids.filter((_, index) => statuses[index] === 'RUNNING')) await cancel(id);
    await waitUntil('the rest, two at a time', () => {
      assert.ok(sendResponses.length <= MAX_RUNS, `${sendResponses.length} at once`);
      for (const sendResponse of sendResponses.splice(0)) sendResponse();
      return countRequests('/limited') === ids.length;
    });
    for (const sendResponse of sendResponses.splice(0)) sendResponse();
    const finalStatuses = await Promise.all(ids.map(async id => (await service.waitForStatus(id)).status));
    assert.equal(finalStatuses.filter(status => status === 'COMPLETED').length, 10 - MAX_RUNS);
  });
});
