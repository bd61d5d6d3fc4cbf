// Tests runs of a Video Editor that cannot be rendered, for example without a mode or with an unconnected port.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findBackend } from '../../../src/codecs/backend.ts';
import { startWorker, type Worker } from '../../../src/jobs/worker.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { WorkerSlots } from '../../../src/runs/worker-slots.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { at, createWorkflow, edge, node, putWorkflow, readWorkflow } from '../../support/workflows.ts';

interface Run {
  readonly status: string;
  readonly error: { readonly code: string; readonly nodeId: string; readonly message: string };
}

const backend = await findBackend(readSettings(), new AbortController().signal).catch(() => undefined);
const skip = backend === undefined && 'this machine has no codec';

let test: TestApp;
let worker: Worker;
let caller: Caller;
before(async () => {
  test = await createTestApp();
  worker = await startWorker(test.deps, new WorkerSlots(4, Date.now));
  caller = await test.createCaller();
});
after(async () => {
  await worker.stop(1000);
  await test.close();
});

const sceneGraph = { fps: 10, width: 160, height: 90, scenes: [{ duration: 1 }] };
const sceneGraphWithToken = { ...sceneGraph, overlays: [{ type: 'text', text: '{{title}}' }] };

/** Creates a graph of a text, a Video Editor and a preview of its video. */
const toGraph = (config: object, edges: readonly string[] = [], data: object = {}) => {
  const video = node('video', 'video:renderer', { ...config }, at(500, 0));
  return {
    nodes: [
      node('text', 'input:text', { value: 'Lamp' }),
      { ...video, data: { ...video.data, ...data } },
      node('end', 'output:preview', {}, at(1000, 0)),
    ],
    edges: [...edges, 'video.video > end.input'].map(edge),
  };
};

describe('a run fails at a Video Editor before anything is rendered,', { skip }, () => {
  const filled = { product: 'Lamp', image: 'sample:lamp' };
  const product = 'text.text > video.product';
  const CASES: readonly (readonly [
    what: string,
    graph: ReturnType<typeof toGraph>,
    code: string,
    message: RegExp,
  ])[] = [
    [
      'with the label of a required port that is not connected',
      toGraph({ templateId: 'product-reel' }, [product]),
      'missing_input',
      /Product picture/,
    ],
    [
      'even if config has a value for the port',
      toGraph({ templateId: 'product-reel', ...filled }, [product]),
      'missing_input',
      /Product picture/,
    ],
    [
      'even if params have a value for the port',
      toGraph({ templateId: 'product-reel' }, [product], { params: filled }),
      'missing_input',
      /Product picture/,
    ],
    [
      'even if the props have a value for the port',
      toGraph({ templateId: 'product-reel', props: filled }, [product]),
      'missing_input',
      /Product picture/,
    ],
    [
      'with the name of an unconnected token',
      toGraph({ props: { sceneGraph: sceneGraphWithToken } }),
      'missing_input',
      /title/,
    ],
    [
      'even if config has a value for the token',
      toGraph({ props: { sceneGraph: sceneGraphWithToken }, title: 'Lamp' }),
      'missing_input',
      /title/,
    ],
    ['without a mode', toGraph({}), 'invalid_config', /needs a template/],
    [
      'with both modes',
      toGraph({ templateId: 'quote-card', props: { sceneGraph } }),
      'invalid_config',
      /both set/,
    ],
    ['with an unknown template', toGraph({ templateId: 'nobody' }), 'invalid_config', /nobody/],
    [
      'with an invalid scene graph',
      toGraph({ props: { sceneGraph: { ...sceneGraph, fps: 0 } } }),
      'invalid_scene_graph',
      /\/fps/,
    ],
  ];
  for (const [what, graph, code, message] of CASES)
    it(what, async () => {
      const { id } = await createWorkflow(caller, graph);
      const wait = { prefer: 'wait=20' };
      const { body } = await caller.request<Run>('POST', `/workflows/${id}/execute`, {}, wait);
      assert.deepEqual([body.status, body.error?.code, body.error?.nodeId], ['FAILED', code, 'video']);
      assert.match(body.error.message, message);
    });
});

describe('PUT of a workflow by a key that may write', () => {
  it('connects the ports of a template, and of a scene graph that replaces the template', async () => {
    const writer = await test.withScopes(caller, ['workflows:write', 'workflows:read']);
    const { id } = await createWorkflow(writer, { nodes: [node('text', 'input:text', {})], edges: [] });
    for (const [config, edges] of [
      [{ templateId: 'quote-card' }, ['text.text > video.quote']],
      [{ props: { sceneGraph: sceneGraphWithToken } }, ['text.text > video.title']],
    ] as const) {
      const response = await putWorkflow(writer, id, toGraph(config, edges));
      assert.equal(response.status, 200, JSON.stringify(response.body));
      assert.deepEqual(response.body.meta.issues, []);
      const video = (await readWorkflow(writer, id)).nodes.find(({ id: nodeId }) => nodeId === 'video');
      assert.deepEqual(video?.data.config, config);
      const [savedEdge] = (await readWorkflow(writer, id)).edges;
      const inputs = video?.data.inputs as readonly { readonly id: string }[];
      assert.ok(inputs.some(port => savedEdge?.targetHandle === `in-${port.id}`));
    }
  });
});
