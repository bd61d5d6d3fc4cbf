// Tests that runs of an invalid Video Editor fail before rendering, and that PUT connects the ports of valid editors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getBackend } from '../../../src/codecs/backend.ts';
import { startWorker, type Worker } from '../../../src/jobs/worker.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { at, createWorkflow, edge, node, putWorkflow, readWorkflow } from '../../support/workflows.ts';

interface Run {
  readonly status: string;
  readonly error: { readonly code: string; readonly nodeId: string; readonly message: string };
}

const backend = await getBackend(readSettings(), new AbortController().signal).catch(() => undefined);
const skip = backend === undefined && 'this machine has no codec';

let test: TestApp;
let worker: Worker;
let user: ApiUser;
before(async () => {
  test = await openTestApp();
  worker = await startWorker(test.deps, new WorkerSlots(4, Date.now));
  user = await test.createUser();
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

describe('a run with a Video Editor', { skip }, () => {
  const portValues = { product: 'Lamp', image: 'sample:lamp' };
  const product = 'text.text > video.product';
  const CASES: readonly (readonly [
    title: string,
    graph: ReturnType<typeof toGraph>,
    code: string,
    message: RegExp,
  ])[] = [
    [
      'fails with the label of an unconnected required port',
      toGraph({ templateId: 'product-reel' }, [product]),
      'missing_input',
      /Product picture/,
    ],
    [
      'fails for an unconnected port despite a value in config',
      toGraph({ templateId: 'product-reel', ...portValues }, [product]),
      'missing_input',
      /Product picture/,
    ],
    [
      'fails for an unconnected port despite a value in params',
      toGraph({ templateId: 'product-reel' }, [product], { params: portValues }),
      'missing_input',
      /Product picture/,
    ],
    [
      'fails for an unconnected port despite a value in props',
      toGraph({ templateId: 'product-reel', props: portValues }, [product]),
      'missing_input',
      /Product picture/,
    ],
    [
      'fails with the name of an unconnected token',
      toGraph({ props: { sceneGraph: sceneGraphWithToken } }),
      'missing_input',
      /title/,
    ],
    [
      'fails for an unconnected token despite a value in config',
      toGraph({ props: { sceneGraph: sceneGraphWithToken }, title: 'Lamp' }),
      'missing_input',
      /title/,
    ],
    ['fails without a mode', toGraph({}), 'invalid_config', /Choose a template/],
    [
      'fails with both modes',
      toGraph({ templateId: 'quote-card', props: { sceneGraph } }),
      'invalid_config',
      /both set/,
    ],
    ['fails with an unknown template', toGraph({ templateId: 'nobody' }), 'invalid_config', /nobody/],
    [
      'fails with an invalid scene graph',
      toGraph({ props: { sceneGraph: { ...sceneGraph, fps: 0 } } }),
      'invalid_scene_graph',
      /\/fps/,
    ],
  ];
  for (const [title, graph, code, message] of CASES)
    it(title, async () => {
      const { id } = await createWorkflow(user, graph);
      const wait = { prefer: 'wait=60' };
      const { body } = await user.request<Run>('POST', `/workflows/${id}/execute`, {}, wait);
      assert.deepEqual([body.status, body.error?.code, body.error?.nodeId], ['FAILED', code, 'video']);
      assert.match(body.error.message, message);
    });
});

describe('PUT /workflows/{id}', () => {
  it('connects the ports of a template or scene graph of a Video Editor', async () => {
    const writer = await test.withScopes(user, ['workflows:write', 'workflows:read']);
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
