// Tests the node comfyui:workflow with a double of a ComfyUI server.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { Json, JsonObject } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { type DrawnSeed, Suspend } from '../../../src/nodes/define.ts';
import type { ProviderTask } from '../../../src/providers/provider.ts';
import { runNode } from '../../support/engine/node-context.ts';
import { type AllProviders, MP4, startAllProviders } from '../../support/providers/all.ts';

const NODE_TYPE = 'comfyui:workflow';

const GRAPH = {
  '1': {
    class_type: 'CLIPTextEncode',
    inputs: { text: 'a fox', clip: ['4', 1] },
    _meta: { title: 'Prompt' },
  },
  '2': { class_type: 'LoadImage', inputs: { image: 'cat.png' } },
  '3': {
    class_type: 'KSampler',
    inputs: {
      seed: 7,
      steps: 20,
      model: ['4', 0],
      positive: ['1', 0],
      negative: ['1', 0],
      latent_image: ['5', 0],
    },
    _meta: { title: 'KSampler', control: { seed: 'randomize' } },
  },
  '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'a.safetensors' } },
  '5': { class_type: 'VAEEncode', inputs: { pixels: ['2', 0], vae: ['4', 2] } },
  '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
  '9': { class_type: 'SaveImage', inputs: { images: ['8', 0], filename_prefix: 'fox-%date:yyyy-MM-dd%' } },
} as const;
const INPUTS = [
  { id: 'prompt', label: 'Prompt', type: 'TEXT', node: '1', input: 'text' },
  { id: 'image', label: 'Image', type: 'IMAGE', node: '2', input: 'image' },
  { id: 'steps', label: 'Steps', type: 'NUMBER', node: '3', input: 'steps' },
];
const OUTPUTS = [{ id: 'result', label: 'Result', type: 'IMAGE', node: '9' }];
const CONFIG: JsonObject = { graph: GRAPH as unknown as Json, inputs: INPUTS, outputs: OUTPUTS };

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const getPorts = (config: JsonObject) => catalog.ports(NODE_TYPE, config);

describe('comfyui:workflow', () => {
  let doubles: AllProviders;
  let warnings: string[];
  let seeds: DrawnSeed[];

  beforeEach(async () => {
    await doubles?.close();
    doubles = await startAllProviders();
    warnings = [];
    seeds = [];
  });
  after(() => doubles.close());

  /** Runs the node until its call has ended. */
  async function run(values: Readonly<Record<string, unknown>>, over: object = {}) {
    const { ctx } = doubles;
    let stored: ProviderTask | undefined;
    for (let round = 0; round < 20; round++) {
      const task = {
        ...ctx.task,
        ...(stored === undefined ? {} : { stored, isWoken: true }),
        save: async (saved: ProviderTask) => {
          stored = saved;
        },
        warn: (sentence: string) => warnings.push(sentence),
        recordSeeds: (drawn: readonly DrawnSeed[]) => {
          seeds = [...drawn];
        },
      };
      try {
        const result = await runNode(NODE_TYPE, values, { ...ctx, ...over, task });
        if (!(result instanceof Suspend)) return result as Record<string, unknown>;
      } catch (err) {
        if (!(err instanceof Suspend)) throw err;
      }
    }
    throw new Error('The call did not end.');
  }
  const getPrompt = () =>
    doubles.comfyui.requests.findLast(({ path }) => path === '/prompt')?.json.prompt as Record<
      string,
      { inputs: Record<string, unknown>; _meta?: unknown }
    >;
  const setOutputs = (outputs: object) => {
    doubles.comfyui.state.entry = {
      status: { status_str: 'success', completed: true, messages: [] },
      outputs,
    };
  };
  const toFile = (filename: string) => ({ filename, subfolder: '', type: 'output' });

  it('submits the graph as it is if no port has another value', async () => {
    const { result } = await run(CONFIG);
    assert.equal((result as { contentType?: string } | undefined)?.contentType ?? 'image/png', 'image/png');
    const prompt = getPrompt();
    assert.deepEqual(prompt['1'], GRAPH['1']);
    assert.deepEqual(prompt['3'], { ...GRAPH['3'], _meta: { title: 'KSampler' } });
    assert.equal(prompt['9']?.inputs.filename_prefix, 'fox-2023-11-14');
    assert.deepEqual(seeds, []);
  });

  it('puts values of ports into the graph, and uploads media', async () => {
    await run({ ...CONFIG, prompt: 'a cat', image: doubles.picture, steps: 4 });
    const prompt = getPrompt();
    assert.equal(prompt['1']?.inputs.text, 'a cat');
    assert.equal(prompt['3']?.inputs.steps, 4);
    assert.match(String(prompt['2']?.inputs.image), /^graphwright\/[\w-]+-1-image\.\w+$/);
  });

  it('draws seeds that are not fixed, and reports those that it submitted', async () => {
    await run({ ...CONFIG, seeds: 'random' });
    const [seed] = seeds;
    assert.deepEqual([seed?.node, seed?.input, seeds.length], ['3', 'seed', 1]);
    assert.ok(Number.isSafeInteger(seed?.value) && (seed?.value ?? -1) >= 0);
    assert.equal(getPrompt()['3']?.inputs.seed, seed?.value);
    await run({ ...CONFIG, seeds: 'random' }, { executionId: 'ex_other' });
    assert.notEqual(seeds[0]?.value, seed?.value);
    const fixed = { ...GRAPH['3'], _meta: { title: 'KSampler', control: { seed: 'fixed' } } };
    await run({ ...CONFIG, graph: { ...GRAPH, '3': fixed }, seeds: 'random' });
    assert.deepEqual([seeds, getPrompt()['3']?.inputs.seed], [[], 7]);
  });

  it('returns several files as a list, and texts', async () => {
    setOutputs({
      '9': { images: [toFile('a.png'), toFile('b.png')] },
      '10': { text: ['a fox'] },
    });
    const graph = { ...GRAPH, '10': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } } };
    const outputs = [...OUTPUTS, { id: 'caption', label: 'Caption', type: 'TEXT', node: '10' }];
    const { result, caption } = await run({ ...CONFIG, graph, outputs });
    const { type, items } = result as { type: string; items: readonly { type: string }[] };
    assert.deepEqual([type, items.map(item => item.type)], ['LIST', ['IMAGE', 'IMAGE']]);
    assert.deepEqual(caption, { type: 'TEXT', text: 'a fox' });
    const [listPort] = getPorts({ ...CONFIG, outputs: [{ ...OUTPUTS[0], isList: true }] }).outputs;
    assert.equal(listPort?.type, 'LIST');
  });

  it('returns videos, and numbers from texts', async () => {
    doubles.comfyui.state.files = { 'a.mp4': MP4 };
    setOutputs({ '9': { images: [toFile('a.mp4')], animated: [true] }, '10': { text: ['42'] } });
    const graph = { ...GRAPH, '10': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } } };
    const outputs = [
      { id: 'clip', label: 'Clip', type: 'VIDEO', node: '9' },
      { id: 'count', label: 'Count', type: 'NUMBER', node: '10' },
    ];
    const { clip, count } = await run({ ...CONFIG, graph, outputs });
    assert.equal((clip as { media?: { contentType: string } }).media?.contentType, 'video/mp4');
    assert.deepEqual(count, { type: 'NUMBER', number: 42 });
    setOutputs({ '9': { images: [toFile('a.mp4')] } });
    await assert.rejects(run(CONFIG), { code: 'unreadable_image' });
  });

  it('leaves out outputs that lack a required input, and says so', async () => {
    const graph = { ...GRAPH, '12': { class_type: 'PreviewImage', inputs: {} } };
    const outputs = [...OUTPUTS, { id: 'preview', label: 'Preview', type: 'IMAGE', node: '12' }];
    await run({ ...CONFIG, graph, outputs });
    assert.equal(getPrompt()['12'], undefined);
    assert.deepEqual(warnings, ['The output “Preview” has no result: a node that it needs lacks an input.']);
  });

  it('refuses a graph of which no output can run, and says where', async () => {
    const graph = { ...GRAPH, '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0] } } };
    await assert.rejects(run({ ...CONFIG, graph }), {
      code: 'invalid_config',
      message: /The node “VAEDecode” of the ComfyUI graph has no vae\./,
      pointer: '/8',
    });
    const { problem, unavailableReason, unavailableCode } = getPorts({ ...CONFIG, graph });
    assert.match(problem ?? '', /has no vae/);
    assert.deepEqual([unavailableReason, unavailableCode], [problem, 'invalid_graph']);
    assert.equal(doubles.comfyui.queued.length, 0);
  });

  it('names the values of types that only the server knows', async () => {
    doubles.comfyui.state.objectInfo = {
      CustomNode: {
        input: { required: { strength: ['FLOAT', {}], seed: ['INT', {}], name: ['STRING', {}] } },
      },
    };
    const custom = {
      class_type: 'CustomNode',
      inputs: { name: ['1', 0] },
      _meta: { title: 'Custom', widgets_values: [0.5, 9, 'fixed', 'x'] },
    };
    await run({ ...CONFIG, graph: { ...GRAPH, '20': custom } });
    assert.deepEqual(getPrompt()['20'], {
      class_type: 'CustomNode',
      inputs: { strength: 0.5, seed: 9, name: ['1', 0] },
      _meta: { title: 'Custom' },
    });
  });

  it('reports the error of an inner node with its place', async () => {
    const error = {
      message: 'Value not in list',
      details: 'ckpt_name',
      extra_info: { input_name: 'ckpt_name' },
    };
    doubles.comfyui.state.nodeErrors = { '4': { class_type: 'CheckpointLoaderSimple', errors: [error] } };
    await assert.rejects(run(CONFIG), {
      name: 'NodeError',
      code: 'provider_invalid_input',
      pointer: '/4/inputs/ckpt_name',
    });
  });
});

describe('the ports of comfyui:workflow', () => {
  it('follow the config, and show the values of the graph', () => {
    const { inputs, outputs, isSaved, problem } = getPorts(CONFIG);
    assert.deepEqual(
      inputs.filter(({ isPort }) => isPort).map(({ id, type, default: value }) => [id, type, value]),
      [
        ['prompt', 'TEXT', 'a fox'],
        ['image', 'IMAGE', undefined],
        ['steps', 'NUMBER', 20],
      ],
    );
    assert.deepEqual(outputs, [{ id: 'result', label: 'Result', type: 'IMAGE', isPort: true }]);
    assert.deepEqual([isSaved, problem], [true, undefined]);
  });

  it('leave out malformed ones and those with the names of fields', () => {
    const ports = ['x', null, { id: 'graph' }, { ...INPUTS[0], type: 'LIST' }, { ...INPUTS[0], node: 5 }];
    const { inputs } = getPorts({ ...CONFIG, inputs: [...ports, ...INPUTS, ...INPUTS] as unknown as Json });
    assert.equal(inputs.filter(({ isPort }) => isPort).length, 3);
  });

  it('come with a sentence about what is wrong', () => {
    const getProblem = (config: object) => getPorts({ ...CONFIG, ...config } as JsonObject).problem;
    assert.match(getProblem({ graph: 5 }) ?? '', /Set the graph/);
    assert.match(getProblem({ graph: {} }) ?? '', /has no nodes/);
    assert.match(getProblem({ graph: { a: 5 } }) ?? '', /A node must be an object, at \/a\./);
    assert.match(getProblem({ outputs: [] }) ?? '', /Add an output/);
    assert.match(
      getProblem({ inputs: [{ ...INPUTS[0], node: '99' }] }) ?? '',
      /the node 99, which the graph/,
    );
    const large = { a: { class_type: 'A', inputs: { text: 'x'.repeat(2_000_001) } } };
    assert.match(getProblem({ graph: large }) ?? '', /larger than 2 MB/);
  });
});

describe('older ComfyUI nodes', () => {
  it('are hidden but known', () => {
    for (const nodeType of ['generate:comfyui', 'video:comfyui']) {
      const entry = createNodeCatalog({ SANDBOX_MODELS: true, COMFYUI_URL: ['http://localhost:8188'] }).find(
        nodeType,
      );
      assert.deepEqual([entry?.hidden, entry?.isAvailable], [true, undefined]);
    }
  });
});
