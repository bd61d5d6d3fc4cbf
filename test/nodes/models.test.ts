// Tests model nodes against fake providers: what they request, and how they read the response.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import type { InputDef } from '../../src/graph/catalog.ts';
import type { MediaRef } from '../../src/graph/types.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { Suspend } from '../../src/nodes/define.ts';
import { readShippedModels } from '../../src/nodes/models/shipped.ts';
import type { ProviderTask } from '../../src/providers/provider.ts';
import { makeContext, runNode, type TestContext } from '../support/engine/node-context.ts';
import { plainImage } from '../support/media/pixels.ts';
import { type AllProviders, MP3, MP4, startAllProviders } from '../support/providers/all.ts';
import type { Double, ReceivedRequest } from '../support/providers/double.ts';

/** The values of a run besides `maxCredits`, by family. The media replace the texts `picture` and `speech`. */
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  generate: { prompt: 'a fox' },
  edit: { prompt: 'a fox', image: 'picture' },
  video: { prompt: 'a fox', image: 'picture' },
  talking: { image: 'picture', audio: 'speech' },
  text: { prompt: 'Hello', image: 'picture' },
  audio: { prompt: 'rain' },
  utility: { text: 'Hello', engine: 'elevenlabs' },
};
/** The texts that fal's models return, under all their names. */
const TEXTS = Object.fromEntries(
  readShippedModels()
    .filter(({ output }) => output.kind === 'text')
    .map(({ output }) => [output.path ?? 'output', 'A fox.']),
);

/** A value for each required setting. */
function createRequiredValues(inputs: readonly InputDef[]): Readonly<Record<string, unknown>> {
  const requiredInputs = inputs.filter(
    input => !input.isPort && input.required === true && input.id !== 'maxCredits',
  );
  const pickValue = ({ type, enum: options, min = 1 }: InputDef): unknown =>
    options?.[0] ?? (type === 'NUMBER' ? min : type === 'BOOLEAN' ? true : type === 'TEXT' ? 'x' : []);
  return Object.fromEntries(requiredInputs.map(input => [input.id, pickValue(input)]));
}

const WORKFLOW = {
  '9': { class_type: 'SaveImage', inputs: { text: '{{prompt}}', seed: '{{seed}}', images: ['8', 0] } },
};

describe('model nodes', () => {
  let doubles: AllProviders;
  let ctx: TestContext;
  let media: Readonly<Record<string, MediaRef>>;
  let png: Buffer;

  before(async () => {
    doubles = await startAllProviders();
    const { picture, speech } = doubles;
    ({ ctx, png } = doubles);
    media = { picture, speech };
  });
  after(() => doubles.close());

  /** Makes every provider return this file. */
  function returnFile(file: Buffer): void {
    const dataUri = `data:application/octet-stream;base64,${file.toString('base64')}`;
    // Returns the result under the names that all models use.
    const result = { url: dataUri, content_type: 'audio/mp4' };
    const resultPaths = readShippedModels().flatMap(({ output }) =>
      output.kind === 'text' ? [] : (output.path ?? []),
    );
    const results = Object.fromEntries(
      resultPaths.map(name => [name, name.endsWith('s') ? [result] : result]),
    );
    doubles.fal.result = { status: 200, body: { file: result, ...results } };
    doubles.replicate.state.end = { status: 'succeeded', output: dataUri };
  }

  const run = (nodeType: string, values: Readonly<Record<string, unknown>>) => {
    const valuesWithMedia = Object.entries(values).map(([name, value]) => [
      name,
      media[String(value)] ?? value,
    ]);
    return runToEnd(nodeType, { maxCredits: 100, ...Object.fromEntries(valuesWithMedia) });
  };
  /** Runs a node like the engine, which suspends the node when its call was submitted and resumes it after the call. */
  const runToEnd = async (nodeType: string, values: Readonly<Record<string, unknown>>) => {
    let savedTask: ProviderTask | undefined;
    const saveTask = async (task: ProviderTask): Promise<void> => {
      savedTask = task;
    };
    try {
      return await runNode(nodeType, values, { ...ctx, task: { ...ctx.task, save: saveTask } });
    } catch (thrown) {
      if (!(thrown instanceof Suspend)) throw thrown;
      const task = {
        ...ctx.task,
        save: saveTask,
        ...(savedTask === undefined ? {} : { stored: savedTask }),
        isWoken: true,
      };
      return runNode(nodeType, values, { ...ctx, task });
    }
  };
  const findSubmission = (double: Double): ReceivedRequest | undefined =>
    double.requests.findLast(({ method }) => method === 'POST');

  const { entries } = createNodeCatalog({ SANDBOX_MODELS: true });
  // The transcription decodes its audio.
  const models = entries.filter(
    ({ source, nodeType }) =>
      source === 'vendor' && !nodeType.includes('comfyui') && nodeType !== 'audio:openai_transcription',
  );
  for (const { nodeType, inputs, outputs } of models) {
    const [family = ''] = nodeType.split(':');
    const [output] = outputs;
    it(`return the output of the provider (${nodeType})`, async () => {
      returnFile(output?.type === 'IMAGE' ? png : output?.type === 'VIDEO' ? MP4 : MP3);
      if (output?.type === 'TEXT') doubles.fal.result = { status: 200, body: TEXTS };
      if (output?.type === 'TEXT')
        doubles.replicate.state.end = { status: 'succeeded', output: ['A ', 'fox.'] };
      const result = await run(nodeType, { ...createRequiredValues(inputs), ...VALUES[family] });
      const value = result[output?.id ?? ''];
      if (output?.type === 'TEXT') assert.equal(value, 'A fox.');
      else assert.match((value as MediaRef).contentType, new RegExp(`^${output?.type.toLowerCase()}/`));
    });
  }

  it('send fal the field names of its model and only values that are set', async () => {
    returnFile(png);
    await run('generate:fal_flux_dev', { prompt: 'a fox', image_size: 'square', seed: 7, fanOut: 'product' });
    assert.equal(findSubmission(doubles.fal)?.path, '/fal-ai/flux-1/dev');
    assert.deepEqual(findSubmission(doubles.fal)?.json, {
      prompt: 'a fox',
      image_size: 'square',
      num_inference_steps: 28,
      guidance_scale: 3.5,
      output_format: 'jpeg',
      seed: 7,
    });
  });

  it('send Replicate the model in the path', async () => {
    returnFile(png);
    await run('generate:replicate_flux_pro', { prompt: 'a fox' });
    const submission = findSubmission(doubles.replicate);
    assert.equal(submission?.path, '/v1/models/black-forest-labs/flux-1.1-pro/predictions');
    const { aspect_ratio } = (submission?.json.input ?? {}) as { aspect_ratio?: string };
    assert.equal(aspect_ratio, '1:1');
  });

  it('send a compatible server the token limit in its own field', async () => {
    await run('text:openai_chat', {
      prompt: 'Hi',
      system: 'Be brief.',
      model: 'llama3',
      tokenField: 'max_tokens',
    });
    assert.deepEqual(findSubmission(doubles.openai)?.json, {
      model: 'llama3',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 2048,
    });
  });

  it('send OpenAI up to 16 images for an edit and a mask in the size of the image', async () => {
    const listItem = { type: 'IMAGE', media: media.picture };
    const upload = async (image: Sharp): Promise<MediaRef> =>
      ctx.upload(await image.webp().toBuffer(), 'image/webp');
    const webp = await upload(sharp(png).removeAlpha().ensureAlpha(0.5));
    const opaque = await upload(sharp(png).removeAlpha());
    await runNode(
      'edit:openai_gpt_image',
      { prompt: 'x', image: media.picture, images: [listItem], mask: webp, maxCredits: 9 },
      ctx,
    );
    const form = findSubmission(doubles.openai)?.body.toString('latin1') ?? '';
    assert.equal(form.match(/name="image\[\]"/g)?.length, 2);
    assert.match(form, /name="mask"; filename="mask\.png"\r\ncontent-type: image\/png/);
    const small = await ctx.upload(await plainImage(4, 4, '#000000'), 'image/png');
    const invalidInputs = [
      [{ mask: small }, /same size as the image, but it has 4×4/],
      [{ mask: opaque }, /no transparent areas/],
      [{ images: Array(16).fill(listItem) }, /up to 16 images/],
      [{ images: [{ type: 'TEXT', text: 'x' }] }, /only images/],
    ] as const;
    for (const [extra, message] of invalidInputs) {
      const values = { prompt: 'x', image: media.picture, maxCredits: 9, ...extra };
      await assert.rejects(runNode('edit:openai_gpt_image', values, ctx), { code: 'invalid_input', message });
    }
  });

  it('send the Responses API an effort only if it is set', async () => {
    await run('text:openai_responses', { prompt: 'Hi', image: 'picture' });
    const readSubmission = () =>
      doubles.openai.requests.findLast(({ path }) => path === '/v1/responses')?.json ?? {};
    assert.equal('reasoning' in readSubmission(), false);
    await run('text:openai_responses', { prompt: 'Hi', effort: 'minimal' });
    assert.deepEqual(readSubmission().reasoning, { effort: 'minimal' });
  });

  it('detect the type of a result from its bytes', async () => {
    returnFile(Buffer.from('<html>not a video</html>'));
    const values = { prompt: 'a fox', image: 'picture' };
    await assert.rejects(run('video:fal_kling', values), { code: 'provider_bad_output' });
    returnFile(Buffer.from('no picture'));
    await assert.rejects(run('generate:fal_flux_dev', values), { code: 'unreadable_image' });
  });

  it('report that a provider is not configured', async () => {
    const bare = makeContext();
    const values = { prompt: 'a fox', maxCredits: 1 };
    await assert.rejects(runNode('generate:fal_flux_dev', values, bare), {
      code: 'provider_not_configured',
      message: 'fal is not configured; add a key in the settings, or ask an administrator to add one.',
    });
  });

  it('require maxCredits if the price is not known', async () => {
    await assert.rejects(runNode('text:openai_chat', { prompt: 'Hi' }, ctx), { code: 'missing_input' });
  });

  describe('generate:comfyui', () => {
    it('fills the tokens of the graph', async () => {
      const { image } = await run('generate:comfyui', { workflow: WORKFLOW, prompt: 'a fox', seed: 5 });
      assert.equal((image as MediaRef).contentType, 'image/png');
      const { prompt } = doubles.comfyui.requests.find(({ path }) => path === '/prompt')?.json ?? {};
      assert.deepEqual((prompt as typeof WORKFLOW)['9'].inputs, { text: 'a fox', seed: 5, images: ['8', 0] });
    });

    it('costs no credits', () => {
      assert.equal(
        createNodeCatalog({ SANDBOX_MODELS: true }).find('generate:comfyui')?.executionCost,
        'free',
      );
    });

    it('refuses an invalid graph and tokens without a value', async () => {
      for (const workflow of [[], 'x', { '1': {} }, { nodes: [], links: [] }])
        await assert.rejects(run('generate:comfyui', { workflow }), { code: 'invalid_config' });
      await assert.rejects(run('generate:comfyui', { workflow: WORKFLOW }), { message: /\{\{prompt\}\}/ });
    });
  });

  describe('utility:speech', () => {
    it('calls ElevenLabs with the chosen voice', async () => {
      const { audio } = await run('utility:speech', { text: 'Hi', engine: 'elevenlabs', voice: 'a/b' });
      assert.equal((audio as MediaRef).contentType, 'audio/mpeg');
      assert.match(findSubmission(doubles.elevenlabs)?.path ?? '', /^\/v1\/text-to-speech\/a%2Fb\?/);
    });

    it('refuses text that is too long for the provider', async () => {
      const values = { text: 'a'.repeat(5_000), engine: 'openai' };
      await assert.rejects(run('utility:speech', values), { message: /5000 characters/ });
    });

    it('reports that no local engine is configured', async () => {
      await assert.rejects(run('utility:speech', { text: 'Hi' }), { code: 'provider_not_configured' });
    });
  });
});
