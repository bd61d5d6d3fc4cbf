// Tests nodes with named servers: what each kind of server receives, and how its answers are read.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { MediaRef } from '../../../src/graph/types.ts';
import { FetchError } from '../../../src/lib/fetch/error.ts';
import { createGuardedFetch } from '../../../src/lib/fetch.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { createServerProvider } from '../../../src/providers/openai.ts';
import { runCall } from '../../../src/providers/run-call.ts';
import { makeContext, runNode, type TestContext } from '../../support/engine/node-context.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { MP3 } from '../../support/providers/all.ts';
import type { Double } from '../../support/providers/double.ts';
import { FAST_PACE, makeHost, UNREACHABLE_URL } from '../../support/providers/host.ts';
import { readForm, type ServerKind, startServer } from '../../support/providers/servers.ts';

const CHAT = 'text:openai_chat';
const IMAGE = 'generate:openai_gpt_image';
const EDIT = 'edit:openai_gpt_image';

const servers = new Map<ServerKind, Double>();
let ctx: TestContext;
let png: Buffer;

before(async () => {
  png = await plainImage(8, 8, '#336699');
  for (const kind of ['ollama', 'lmStudio', 'sdServer', 'localAi', 'kokoro'] as const)
    servers.set(kind, await startServer(kind, kind === 'kokoro' ? MP3 : png));
  const endpoints = [...servers].map(([kind, { url }]) => [
    `openai/${kind}`,
    { baseUrl: `${url}/v1`, key: '' },
  ]);
  const client = createGuardedFetch({
    allowPrivate: false,
    trustedUrls: [...servers.values()].map(({ url }) => url),
  });
  ctx = makeContext({
    providers: Object.fromEntries(endpoints),
    fetch: (url, init) => client.fetch(url, { timeoutMs: 5_000, maxBytes: 1e8, ...init }),
  });
  after(() => client.close());
});
beforeEach(() => {
  for (const server of servers.values()) server.clearFaults();
});
after(() => Promise.all([...servers.values()].map(server => server.close())));

const getServer = (kind: ServerKind): Double => servers.get(kind) as Double;
const lastRequest = (kind: ServerKind) => getServer(kind).requests.at(-1);

describe('a chat', () => {
  it('limits the tokens by max_tokens, does not stream, and sends no key', async () => {
    const { text } = await runNode(CHAT, { prompt: 'Hi', server: 'ollama', model: 'llama3.2' }, ctx);
    assert.equal(text, 'A fox.');
    const request = lastRequest('ollama');
    assert.deepEqual(request?.json, {
      model: 'llama3.2',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 2048,
      stream: false,
    });
    assert.equal(request?.headers.authorization, undefined);
  });

  it('tells a server that streams by default not to', async () => {
    assert.deepEqual(await runNode(CHAT, { prompt: 'Hi', server: 'lmStudio', model: 'gemma' }, ctx), {
      text: 'A fox.',
    });
  });

  it('reports the error of the server with its name', async () => {
    await assert.rejects(runNode(CHAT, { prompt: 'Hi', server: 'ollama', model: 'gpt-9' }, ctx), {
      code: 'provider_invalid_input',
      message: 'The server “ollama” rejected the input: model "gpt-9" not found, try pulling it first',
    });
  });

  it('reports an error with status 200, and 500 without a doubt about the outcome', async () => {
    const wrong = { status: 200, body: { error: 'Unexpected endpoint or method. (POST /v1/x)' } };
    getServer('lmStudio').failRequests(/chat/, wrong);
    const call = () => runNode(CHAT, { prompt: 'Hi', server: 'lmStudio' }, ctx);
    await assert.rejects(call(), { code: 'provider_bad_output', message: /Unexpected endpoint/ });
    getServer('lmStudio').failRequests(/chat/, { status: 500, body: { error: 'out of memory' } });
    await assert.rejects(call(), {
      code: 'provider_unavailable',
      message: 'The server “lmStudio” is unavailable: out of memory',
    });
  });

  it('ends with an error if the answer never ends or is too deep', async () => {
    const call = () => runNode(CHAT, { prompt: 'Hi', server: 'ollama', model: 'llama3.2' }, ctx);
    getServer('ollama').failRequests(/chat/, { status: 200, body: Buffer.alloc(17_000_000, 0x20) });
    await assert.rejects(call(), { code: /^provider_/ });
    getServer('ollama').failRequests(/chat/, { status: 200, body: Buffer.from('['.repeat(1_000_000)) });
    await assert.rejects(call(), { code: 'provider_bad_output' });
  });

  it('with a name that is not set up fails', async () => {
    await assert.rejects(runNode(CHAT, { prompt: 'Hi', server: 'nobody' }, ctx), {
      code: 'provider_not_configured',
      message: 'The server “nobody” is not set up; add it in the settings, or choose another one.',
    });
  });

  it('with a server that is not running fails within 15 s', async () => {
    const provider = createServerProvider({ baseUrl: UNREACHABLE_URL, key: '' });
    // A connection may take ten seconds.
    assert.ok(provider.pace.retryForMs + 10_000 <= 15_000);
    const call = { kind: 'chat', body: {} } as const;
    for (const code of ['connect_failed', 'timeout'] as const) {
      const fetch = () =>
        Promise.reject(new FetchError(code, 'it could not be connected to', { maybeSent: false }));
      await assert.rejects(
        runCall({ ...provider, pace: { ...FAST_PACE, retryForMs: 20 } }, call, {
          ...makeHost(UNREACHABLE_URL),
          fetch,
        }),
        { code: 'provider_unavailable' },
        code,
      );
    }
  });
});

describe('an image', () => {
  it('gets a size of Stable Diffusion, and only fields that were set', async () => {
    const values = { prompt: 'a fox', server: 'sdServer', model: 'sd', size: '768x512' };
    const { image } = await runNode(IMAGE, values, ctx);
    assert.equal((image as MediaRef).contentType, 'image/png');
    assert.deepEqual(lastRequest('sdServer')?.json, { prompt: 'a fox', model: 'sd', size: '768x512', n: 1 });
    await runNode(IMAGE, { ...values, seed: 7, steps: 20, negative_prompt: 'text', size: 'auto' }, ctx);
    assert.deepEqual(lastRequest('sdServer')?.json, {
      prompt: 'a fox',
      model: 'sd',
      seed: 7,
      steps: 20,
      negative_prompt: 'text',
      n: 1,
    });
  });

  it('gives stable-diffusion.cpp its fields in the prompt, and no others', async () => {
    const prompt = 'a fox<sd_cpp_extra_args>{"sample_params":{"sample_steps":9999}}</sd_cpp_extra_args>';
    const model = 'sd-cpp-local';
    await runNode(
      IMAGE,
      { prompt, server: 'sdServer', model, seed: 7, steps: 20, negative_prompt: '</x>' },
      ctx,
    );
    assert.equal(
      lastRequest('sdServer')?.json.prompt,
      'a fox{"sample_params":{"sample_steps":9999}}<sd_cpp_extra_args>{"seed":7,"sample_params":{"sample_steps":20},"negative_prompt":"\\u003c/x>"}</sd_cpp_extra_args>',
    );
  });

  it('with a size that no server has is refused before the call', async () => {
    const count = getServer('sdServer').requests.length;
    for (const size of ['768x513', '128x256', '8192x256', '1024', 'x512'])
      await assert.rejects(
        runNode(IMAGE, { prompt: 'a fox', server: 'sdServer', size }, ctx),
        { code: 'invalid_config' },
        size,
      );
    assert.equal(getServer('sdServer').requests.length, count);
  });

  it('is downloaded from the own origin of the server, and from no other private address', async () => {
    const values = { prompt: 'a fox', server: 'localAi', model: 'stablediffusion', size: '512x512' };
    const { image } = await runNode(IMAGE, values, ctx);
    assert.deepEqual(ctx.bytesOf(image as MediaRef), png);
    const other = { status: 200, body: { data: [{ url: 'http://127.0.0.1:2/x.png' }] } };
    getServer('localAi').failRequests(/images/, other);
    await assert.rejects(runNode(IMAGE, values, ctx), {
      code: 'provider_unavailable',
      message: /may not reach/,
    });
  });

  it('is edited by the image field that sd-server knows', async () => {
    const image = await ctx.upload(png, 'image/png');
    await runNode(
      EDIT,
      { prompt: 'a fox', server: 'sdServer', model: 'sd', size: '512x768', image, seed: 3 },
      ctx,
    );
    const request = lastRequest('sdServer');
    assert.ok(request);
    const form = readForm(request);
    assert.deepEqual([...form.keys()], ['prompt', 'image', 'model', 'size', 'seed']);
    assert.deepEqual(form.get('image')?.bytes, png);
  });
});

describe('an image of a default server that is not OpenAI', () => {
  it('may have any size of Stable Diffusion', () => {
    const getSizes = (OPENAI_BASE_URL: string) =>
      createNodeCatalog({ SANDBOX_MODELS: true, OPENAI_API_KEY: 'x', OPENAI_BASE_URL })
        .ports(IMAGE, {})
        .inputs.find(({ id }) => id === 'size')?.enum;
    assert.equal(getSizes('http://127.0.0.1:1234/v1'), undefined);
    assert.equal(getSizes('https://api.openai.com/v1')?.length, 4);
  });
});

describe('speech', () => {
  it('of a server that streams by default is read to its end', async () => {
    const values = { text: 'Hello', engine: 'openai', server: 'kokoro', model: 'kokoro', voice: 'af_heart' };
    const { audio } = await runNode('utility:speech', values, ctx);
    assert.deepEqual(ctx.bytesOf(audio as MediaRef), MP3);
  });

  it('reports the errors of FastAPI', async () => {
    const values = { text: 'Hello', engine: 'openai', server: 'kokoro', voice: 'nobody' };
    await assert.rejects(runNode('utility:speech', values, ctx), {
      message: "The server “kokoro” rejected the input: Voice 'nobody' not found. Available voices: af_heart",
    });
    const missing = { detail: [{ type: 'missing', loc: ['body', 'input'], msg: 'Field required' }] };
    getServer('kokoro').failRequests(/speech/, { status: 422, body: missing });
    await assert.rejects(runNode('utility:speech', { ...values, voice: 'alloy' }, ctx), {
      message: 'The server “kokoro” rejected the input: input: Field required',
    });
  });
});
