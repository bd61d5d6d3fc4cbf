// Tests the ComfyUI provider with a double of its server.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type ComfyCall, createComfyUiProvider } from '../../src/providers/comfyui.ts';
import { Attachment } from '../../src/providers/provider.ts';
import { waitUntil } from '../support/processes.ts';
import { type ComfyDouble, startComfy } from '../support/providers/comfyui.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost } from '../support/providers/host.ts';
import { testContract } from './provider-contract.ts';

const FILE = Buffer.from('a picture');
const CALL: ComfyCall = { graph: { '9': { inputs: { text: 'a fox', images: ['8', 0] } } } };
const start = () => startComfy(FILE);

testContract('ComfyUI', {
  start,
  connect: createComfyUiProvider,
  key: '',
  call: CALL,
  submission: /^POST \/prompt$/,
  check: ({ files }) => assert.deepEqual(files, [FILE]),
  tasks: {
    poll: /^GET \/history/,
    cancel: /^POST \/interrupt$/,
    delay: double => {
      (double as ComfyDouble).state.polls = 1e9;
    },
  },
  download: /^GET \/view/,
});

describe('ComfyUI', () => {
  let double: ComfyDouble;
  let host: TestHost;
  beforeEach(async () => {
    double = await start();
    host = makeHost(double.url);
  });
  afterEach(async () => {
    await host.close();
    await double.close();
  });
  const provider = () => ({ ...createComfyUiProvider({ baseUrl: double.url, key: '' }), pace: FAST_PACE });
  const run = (call = CALL, over: Partial<TestHost> = {}) => runToEnd(provider(), call, { ...host, ...over });

  it('submits under the id that was stored before', async () => {
    await run();
    assert.deepEqual(double.queued, [host.storedTasks[0]?.id]);
  });

  it('sends a client id and the configured header and key', async () => {
    double.state.requiredHeader = ['x-api-key', 'secret'];
    const providerWithKey = createComfyUiProvider({
      baseUrl: double.url,
      key: 'X-API-Key: secret',
      partnerKey: 'comfyui-1',
    });
    await runToEnd({ ...providerWithKey, pace: FAST_PACE }, CALL, host);
    const { client_id, extra_data } = double.requests[0]?.json ?? {};
    assert.equal(client_id, host.storedTasks[0]?.id);
    assert.deepEqual(extra_data, { api_key_comfy_org: 'comfyui-1' });
    double.state.requiredHeader = ['authorization', 'Bearer secret'];
    await runToEnd(
      { ...createComfyUiProvider({ baseUrl: double.url, key: 'Bearer secret' }), pace: FAST_PACE },
      CALL,
      host,
    );
  });

  it('cancels by id on servers that support it', async () => {
    double.state.supportsJobs = true;
    double.state.polls = 1e9;
    const stop = new AbortController();
    const running = run(CALL, { signal: stop.signal });
    await waitUntil('a request to the double', () => double.queued.length > 0);
    stop.abort('cancelled');
    await assert.rejects(running, reason => reason === 'cancelled');
    assert.equal(double.count(/^POST \/api\/jobs\/[^/]+\/cancel$/), 1);
    assert.equal(double.count(/^POST \/(?:queue|interrupt)$/), 0);
  });

  it('polls instead of submitting again if the response was lost', async () => {
    for (const fault of ['reset', { status: 500 }] as const) {
      double.failResponses(/^POST \/prompt$/, fault);
      assert.deepEqual((await run()).files, [FILE]);
    }
    assert.equal(double.queued.length, 2);
  });

  it('submits again under the same id if the submission was lost', async () => {
    double.failRequests(/^POST \/prompt$/, 'reset');
    await run();
    assert.deepEqual(double.queued, [host.storedTasks[0]?.id]);
    const storedTask = { provider: 'comfyui', id: '11111111-2222-4333-8444-555555555555' } as const;
    await run(CALL, { task: { ...host.task, stored: storedTask } });
    assert.equal(double.queued.at(-1), storedTask.id);
  });

  it('submits again only once after a restart of the server', async () => {
    double.state.polls = 1e9;
    let polls = 0;
    const fetch: TestHost['fetch'] = (url, init) => {
      if (url.includes('/history/') && polls++ > 2) double.restart();
      return host.fetch(url, init);
    };
    await assert.rejects(run(CALL, { fetch }), { code: 'provider_lost' });
    assert.equal(double.queued.length, 2);
  });

  it('uploads attachments and puts their names into the graph', async () => {
    const picture = new Attachment(Buffer.from('abc'), 'image/png', 'a.png');
    await run({ graph: { '1': { inputs: { image: picture } } } });
    const { prompt, prompt_id } = double.requests.find(({ path }) => path === '/prompt')?.json ?? {};
    assert.deepEqual(prompt, { '1': { inputs: { image: `graphwright/${prompt_id}-a.png` } } });
  });

  it('prefers saved files to previews', async () => {
    await run();
    const views = double.requests.filter(({ path }) => path.startsWith('/view'));
    assert.deepEqual(
      views.map(({ path }) => path),
      ['/view?filename=fox+1.png&subfolder=a&type=output'],
    );
  });

  it('cancels a prompt that was accepted with node_errors', async () => {
    double.state.polls = 1e9;
    double.state.nodeErrors = {
      '4': {
        class_type: 'CheckpointLoaderSimple',
        errors: [{ message: 'Value not in list', details: 'ckpt_name' }],
      },
    };
    await assert.rejects(run(), {
      code: 'provider_invalid_input',
      message: /node 4 \(CheckpointLoaderSimple\): Value not in list, ckpt_name/,
    });
    assert.equal(double.count(/^POST \/interrupt$/), 1);
  });

  it('reports node_errors even if the cancel fails', async () => {
    double.state.polls = 1e9;
    double.state.nodeErrors = { '4': { class_type: 'KSampler', errors: [{ message: 'Bad seed' }] } };
    double.failRequests(/^POST \/api\/jobs\//, { status: 500, body: {} });
    double.failRequests(/^GET \/queue$/, { status: 500, body: {} });
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /KSampler.*Bad seed/ });
  });

  it('reports the error of an invalid graph', async () => {
    const node_errors = {
      '3': { class_type: 'KSampler', errors: [{ message: 'Required input is missing', details: 'model' }] },
    };
    const body = {
      error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation' },
      node_errors,
    };
    double.failRequests(/^POST \/prompt$/, { status: 400, body });
    await assert.rejects(run(), {
      code: 'provider_invalid_input',
      message: /KSampler.*Required input is missing/,
    });
  });

  it('reports why the execution failed', async () => {
    const createFailure = (event: string, data: object) => ({
      status: { status_str: 'error', messages: [[event, data]] },
    });
    double.state.entry = createFailure('execution_error', {
      node_type: 'KSampler',
      exception_message: 'CUDA out of memory',
    });
    await assert.rejects(run(), { code: 'provider_failed', message: /KSampler: CUDA out of memory/ });
    double.state.entry = createFailure('execution_interrupted', {});
    await assert.rejects(run(), { code: 'provider_cancelled' });
  });

  it('reads the queue and the errors of the fork that pip can install', async () => {
    double.state.hasObjectQueue = true;
    await run();
    assert.equal(double.queued.length, 1);
    const fail = (messages: readonly string[]) => ({ status: { status_str: 'error', messages } });
    double.state.entry = fail(['execution_start', 'execution_error: out of memory\n']);
    await assert.rejects(run(), { code: 'provider_failed', message: /: out of memory$/ });
    double.state.entry = fail(['execution_start', 'execution_interrupted']);
    await assert.rejects(run(), { code: 'provider_cancelled' });
  });

  it('names the node by its title, and says where the error is', async () => {
    const graph = { '2:3': { class_type: 'KSampler', inputs: {}, _meta: { title: 'Second pass' } } };
    const error = {
      type: 'required_input_missing',
      message: 'Required input is missing',
      details: 'model',
      extra_info: { input_name: 'model' },
    };
    double.state.polls = 1e9;
    double.state.nodeErrors = {
      '2:3': { class_type: 'KSampler', errors: [error], dependent_outputs: ['9'] },
    };
    await assert.rejects(run({ graph }), {
      message: /“Second pass” \(KSampler, node 2:3\): Required input is missing, model/,
      pointer: '/2:3/inputs/model',
    });
    double.state.polls = 0;
    double.state.nodeErrors = {};
    const failure = { node_id: '2:3', node_type: 'KSampler', exception_message: 'out of memory' };
    double.state.entry = { status: { status_str: 'error', messages: [['execution_error', failure]] } };
    await assert.rejects(run({ graph }), {
      message: /“Second pass” \(KSampler, node 2:3\): out of memory/,
      pointer: '/2:3',
    });
  });

  it('says which node has a type that the server lacks', async () => {
    const graph = { a: { class_type: 'Nope', inputs: {} } };
    const newer = {
      type: 'missing_node_type',
      message: 'Node type is missing',
      details: '',
      extra_info: { node_id: 'a', class_type: 'Nope', node_title: 'Nope' },
    };
    const older = {
      type: 'invalid_prompt',
      message: 'Cannot execute because node Nope does not exist.',
      details: "Node ID '#a'",
      extra_info: {},
    };
    for (const error of [newer, older]) {
      double.failRequests(/^POST \/prompt$/, { status: 400, body: { error, node_errors: {} } });
      await assert.rejects(run({ graph }), { message: /node a \(Nope\): /, pointer: '/a' });
    }
  });

  it('returns the files and texts of the chosen outputs by node', async () => {
    double.state.entry = {
      status: { status_str: 'success', completed: true, messages: [] },
      outputs: {
        '8': { images: [{ filename: 'preview.png', subfolder: '', type: 'temp' }] },
        '9': {
          images: [
            { filename: 'a.png', subfolder: '', type: 'output' },
            { filename: 'b.png', subfolder: '', type: 'output' },
          ],
          animated: [false],
        },
        '10': { text: ['a fox', 5] },
        '11': { images: [{ filename: 'other.png', subfolder: '', type: 'output' }] },
      },
    };
    const { files, fileNodes, nodeTexts } = await run({ ...CALL, outputs: ['9', '8', '10', '__proto__'] });
    assert.equal(files.length, 3);
    assert.deepEqual(fileNodes, ['9', '9', '8']);
    assert.deepEqual(nodeTexts, { '10': ['a fox'] });
    await assert.rejects(run({ ...CALL, outputs: ['3'] }), { code: 'provider_bad_output' });
  });

  it('asks the server for types that the graph needs', async () => {
    double.state.objectInfo = { Known: { input: {} } };
    const seen: unknown[] = [];
    await run({
      ...CALL,
      unknownTypes: ['Known', 'Un/known'],
      withTypes: infos => {
        seen.push(infos);
        return { '1': { inputs: { named: true } } };
      },
    });
    assert.deepEqual(seen, [{ Known: { input: {} } }]);
    const { prompt } = double.requests.find(({ path }) => path === '/prompt')?.json ?? {};
    assert.deepEqual(prompt, { '1': { inputs: { named: true } } });
  });

  it('explains that a cached graph returns no files', async () => {
    double.state.entry = { status: { status_str: 'success' }, outputs: {} };
    await assert.rejects(run(), { code: 'provider_bad_output', message: /change its seed/ });
  });

  it('removes a queued prompt without interrupting another prompt', async () => {
    double.state.polls = 1e9;
    const otherAbort = new AbortController();
    const otherCall = run(CALL, { signal: otherAbort.signal });
    await waitUntil('a request to the double', () => double.queued.length > 0);
    const stop = new AbortController();
    const queuedCall = run(CALL, { signal: stop.signal });
    await waitUntil('a request to the double', () => double.queued.length > 1);
    stop.abort('cancelled');
    await assert.rejects(queuedCall, reason => reason === 'cancelled');
    assert.equal(double.count(/^POST \/interrupt$/), 0);
    assert.deepEqual(
      double.requests.find(({ method, path }) => `${method} ${path}` === 'POST /queue')?.json,
      {
        delete: [double.queued[1]],
      },
    );
    otherAbort.abort('cancelled');
    await assert.rejects(otherCall, reason => reason === 'cancelled');
  });
});
