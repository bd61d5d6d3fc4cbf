// Tests the ComfyUI provider against a fake server.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type ComfyCall, comfyui } from '../../src/providers/comfyui.ts';
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
  connect: comfyui,
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
  const provider = () => ({ ...comfyui({ baseUrl: double.url, key: '' }), pace: FAST_PACE });
  const run = (call = CALL, over: Partial<TestHost> = {}) => runToEnd(provider(), call, { ...host, ...over });

  it('uses the chosen id, which is stored before the submission', async () => {
    await run();
    assert.deepEqual(double.queued, [host.storedTasks[0]?.id]);
  });

  it('sends a client id, and the header and key from the settings', async () => {
    double.state.requiredHeader = ['x-api-key', 'secret'];
    const keyed = comfyui({ baseUrl: double.url, key: 'X-API-Key: secret', partnerKey: 'comfyui-1' });
    await runToEnd({ ...keyed, pace: FAST_PACE }, CALL, host);
    const { client_id, extra_data } = double.requests[0]?.json ?? {};
    assert.equal(client_id, host.storedTasks[0]?.id);
    assert.deepEqual(extra_data, { api_key_comfy_org: 'comfyui-1' });
    double.state.requiredHeader = ['authorization', 'Bearer secret'];
    await runToEnd(
      { ...comfyui({ baseUrl: double.url, key: 'Bearer secret' }), pace: FAST_PACE },
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

  it('polls the work instead of submitting it again when the response was lost', async () => {
    for (const fault of ['reset', { status: 500 }] as const) {
      double.failResponses(/^POST \/prompt$/, fault);
      assert.deepEqual((await run()).files, [FILE]);
    }
    assert.equal(double.queued.length, 2);
  });

  it('submits again under the same id when the submission never arrived', async () => {
    double.failRequests(/^POST \/prompt$/, 'reset');
    await run();
    assert.deepEqual(double.queued, [host.storedTasks[0]?.id]);
    const stored = { provider: 'comfyui', id: '11111111-2222-4333-8444-555555555555' } as const;
    await run(CALL, { task: { ...host.task, stored } });
    assert.equal(double.queued.at(-1), stored.id);
  });

  it('submits again once when a restart lost the work, but not forever', async () => {
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
    const prompt = double.requests.find(({ path }) => path === '/prompt')?.json.prompt;
    assert.deepEqual(prompt, { '1': { inputs: { image: 'graphwright/up.png' } } });
  });

  it('prefers saved files to previews', async () => {
    await run();
    const views = double.requests.filter(({ path }) => path.startsWith('/view'));
    assert.deepEqual(
      views.map(({ path }) => path),
      ['/view?filename=fox+1.png&subfolder=a&type=output'],
    );
  });

  it('treats 200 with node_errors as a failure and cancels the work', async () => {
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

  it('reports the errors of the nodes even if the cancellation fails', async () => {
    double.state.polls = 1e9;
    double.state.nodeErrors = { '4': { class_type: 'KSampler', errors: [{ message: 'Bad seed' }] } };
    double.failRequests(/^POST \/api\/jobs\//, { status: 500, body: {} });
    double.failRequests(/^GET \/queue$/, { status: 500, body: {} });
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /KSampler.*Bad seed/ });
  });

  it('reports what is wrong with a graph', async () => {
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

  it('reports why a run failed', async () => {
    const failed = (event: string, data: object) => ({
      status: { status_str: 'error', messages: [[event, data]] },
    });
    double.state.entry = failed('execution_error', {
      node_type: 'KSampler',
      exception_message: 'CUDA out of memory',
    });
    await assert.rejects(run(), { code: 'provider_failed', message: /KSampler: CUDA out of memory/ });
    double.state.entry = failed('execution_interrupted', {});
    await assert.rejects(run(), { code: 'provider_cancelled' });
  });

  it('explains why a cached graph returns nothing', async () => {
    double.state.entry = { status: { status_str: 'success' }, outputs: {} };
    await assert.rejects(run(), { code: 'provider_bad_output', message: /change its seed/ });
  });

  it('removes waiting work from the queue and never interrupts another graph', async () => {
    double.state.polls = 1e9;
    const otherAbort = new AbortController();
    const first = run(CALL, { signal: otherAbort.signal });
    await waitUntil('a request to the double', () => double.queued.length > 0);
    const stop = new AbortController();
    const second = run(CALL, { signal: stop.signal });
    await waitUntil('a request to the double', () => double.queued.length > 1);
    stop.abort('cancelled');
    await assert.rejects(second, reason => reason === 'cancelled');
    assert.equal(double.count(/^POST \/interrupt$/), 0);
    assert.deepEqual(
      double.requests.find(({ method, path }) => `${method} ${path}` === 'POST /queue')?.json,
      {
        delete: [double.queued[1]],
      },
    );
    otherAbort.abort('cancelled');
    await assert.rejects(first, reason => reason === 'cancelled');
  });
});
