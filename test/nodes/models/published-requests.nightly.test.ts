// Tests every request to providers, and the answers of the fake providers, against the types that the providers
// publish.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SPEECH_RATE, toWav } from '../../../src/codecs/speech.ts';
import type { InputDef } from '../../../src/graph/catalog.ts';
import type { FieldType, MediaRef } from '../../../src/graph/types.ts';
import { createNodeCatalog, findNode } from '../../../src/nodes/catalog.ts';
import { startNode } from '../../support/engine/node-context.ts';
import { NO_PEERS } from '../../support/peers.ts';
import { type AllProviders, startAllProviders } from '../../support/providers/all.ts';
import type { Exchange, ReceivedRequest } from '../../support/providers/double.ts';
import { FILE, findTypeErrors, type Sample } from '../../support/providers/published-types.ts';

const ELEVENLABS = '@elevenlabs/elevenlabs-js/serialization/resources';
const IMPORTS = [
  "import type OpenAI from 'openai';",
  "import type { InQueueQueueStatus, QueueStatus } from '@fal-ai/client';",
  "import type { EndpointTypeMap } from '@fal-ai/client/endpoints';",
  "import type Replicate from 'replicate';",
  "import type { Prediction } from 'replicate';",
  `import type { BodyTextToSpeechFull } from '${ELEVENLABS}/textToSpeech/client/requests/BodyTextToSpeechFull.js';`,
  `import type { CreateSoundEffectRequest } from '${ELEVENLABS}/textToSoundEffects/client/requests/CreateSoundEffectRequest.js';`,
  `import type { BodyComposeMusicV1MusicPost } from '${ELEVENLABS}/music/client/requests/BodyComposeMusicV1MusicPost.js';`,
].join(' ');

type TypeTable = readonly (readonly [RegExp, string])[];

const REQUESTS: Readonly<Record<string, TypeTable>> = {
  openai: [
    [/^POST \/v1\/images\/generations/, 'OpenAI.ImageGenerateParamsNonStreaming'],
    [/^POST \/v1\/images\/edits/, 'OpenAI.ImageEditParamsNonStreaming'],
    [/^POST \/v1\/chat\/completions/, 'OpenAI.ChatCompletionCreateParamsNonStreaming'],
    [/^POST \/v1\/responses$/, 'OpenAI.Responses.ResponseCreateParamsNonStreaming'],
    [/^POST \/v1\/audio\/speech/, 'OpenAI.Audio.SpeechCreateParams'],
    [/^POST \/v1\/audio\/transcriptions/, 'OpenAI.Audio.TranscriptionCreateParamsNonStreaming'],
  ],
  elevenlabs: [
    [/^POST \/v1\/text-to-speech\//, 'BodyTextToSpeechFull.Raw'],
    [/^POST \/v1\/sound-generation/, 'CreateSoundEffectRequest.Raw'],
    [/^POST \/v1\/music/, 'BodyComposeMusicV1MusicPost.Raw'],
  ],
  // The model in the URL takes the place of the version in the body.
  replicate: [
    [/predictions$/, "Omit<Parameters<Replicate['predictions']['create']>[0], 'model' | 'version'>"],
  ],
};

const ANSWERS: Readonly<Record<string, TypeTable>> = {
  openai: [
    [/^POST \/v1\/images\//, 'OpenAI.ImagesResponse'],
    [/^POST \/v1\/chat\//, 'OpenAI.ChatCompletion'],
    [/^POST \/v1\/audio\/transcriptions/, 'OpenAI.Audio.TranscriptionVerbose'],
    // The client adds the joined text.
    [/\/v1\/responses/, "Omit<OpenAI.Responses.Response, 'output_text'>"],
  ],
  replicate: [[/predictions/, 'Prediction']],
  fal: [
    [/\/status$/, 'QueueStatus'],
    [/^POST (?!\/storage)/, 'InQueueQueueStatus'],
  ],
};

const { entries } = createNodeCatalog({ SANDBOX_MODELS: true });
const models = entries.filter(({ source, nodeType }) => source === 'vendor' && !nodeType.includes('comfyui'));

/** Returns the JSON that the provider received, or the fields of a form by name. */
async function readRequestBody({ headers, body, json }: ReceivedRequest): Promise<unknown> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) return json;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const readFormValues = (name: string): readonly unknown[] =>
    form.getAll(name).map(value => (typeof value === 'string' ? value : FILE));
  return Object.fromEntries(
    [...new Set(form.keys())].map(name =>
      name.endsWith('[]') ? [name.slice(0, -2), readFormValues(name)] : [name, readFormValues(name)[0]],
    ),
  );
}

const formatRequestName = ({ method, path }: ReceivedRequest): string => `${method} ${path.split('?')[0]}`;

const typeIn = (table: TypeTable = [], name: string): string | undefined =>
  table.find(([pattern]) => pattern.test(name))?.[1];

async function requestSamples(
  provider: string,
  requests: readonly ReceivedRequest[],
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const request of requests) {
    const name = formatRequestName(request);
    const type =
      provider === 'fal'
        ? `EndpointTypeMap[${JSON.stringify(request.path.slice(1))}]['input']`
        : typeIn(REQUESTS[provider], name);
    const isTyped = provider !== 'fal' || !UNTYPED.test(request.path);
    if (request.method === 'POST' && type !== undefined && isTyped)
      samples.push({ name, type, value: await readRequestBody(request) });
  }
  return samples;
}

function answerSamples(provider: string, answered: readonly Exchange[]): readonly Sample[] {
  return answered.flatMap(({ request, reply }) => {
    const name = formatRequestName(request);
    const type = typeIn(ANSWERS[provider], name);
    const isAnswer = type !== undefined && reply.status < 300;
    return isAnswer ? [{ name: `${name} answers`, type, value: reply.body }] : [];
  });
}

/** Matches models from fal's list, which is newer than the types of fal's client. */
const UNTYPED = /^\/(?:openai\/gpt-image-2|bytedance\/seedance-2|fal-ai\/flux-1\/dev)/;

/** Fields of servers of one's own, which OpenAI does not know. */
const SERVER_FIELDS: ReadonlySet<string> = new Set(['server', 'seed', 'steps', 'negative_prompt']);
const isServerNode = (inputs: readonly InputDef[]): boolean => inputs.some(({ id }) => id === 'server');

describe('requests to providers and answers of the fake providers', { skip: NO_PEERS }, () => {
  let providers: AllProviders;
  let sound: MediaRef;
  before(async () => {
    providers = await startAllProviders();
    sound = await providers.ctx.upload(toWav(new Int16Array(SPEECH_RATE)), 'audio/wav');
  });
  after(() => providers.close());

  const toSample = ({
    type,
    itemType,
    enum: options,
    default: preset,
    min = 1,
    minItems = 1,
    isPort,
    required,
  }: InputDef): unknown => {
    const media: Partial<Record<FieldType, unknown>> = {
      IMAGE: providers.picture,
      AUDIO: providers.speech,
      VIDEO: providers.clip,
    };
    if (media[type] !== undefined) return media[type];
    if (preset !== undefined) return preset;
    if (type === 'NUMBER') return min;
    if (type === 'BOOLEAN') return true;
    if (type === 'TEXT') return options?.[0] ?? 'a fox';
    if (type !== 'LIST') return required === true ? [] : undefined;
    if (!isPort) return ['a fox'];
    const item =
      itemType === 'TEXT'
        ? { type: 'TEXT', text: 'a fox' }
        : { type: itemType ?? 'IMAGE', media: media[itemType ?? 'IMAGE'] };
    return Array.from({ length: Math.max(1, minItems) }, () => item);
  };
  /** Returns the values of a run: either all settings or only the required ones. */
  const createValues = (inputs: readonly InputDef[], isFull: boolean): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      inputs
        .filter(({ required, isPort }) => isFull || required === true || isPort)
        .filter(({ id }) => !isServerNode(inputs) || !SERVER_FIELDS.has(id))
        .map(input => [input.id, toSample(input)]),
    );
  /** Runs a node until its call is submitted. Ignores errors of the provider. */
  const submit = async (nodeType: string, values: Readonly<Record<string, unknown>>): Promise<void> => {
    // This node decodes its audio.
    const decoded = nodeType === 'audio:openai_transcription' ? { audio: sound } : {};
    await startNode(nodeType, { ...values, ...decoded, maxCredits: 9 }, providers.ctx).catch(
      (err: { readonly code?: string }) => {
        if (err.code?.startsWith('provider_') !== true && err.code !== undefined) throw err;
      },
    );
  };

  /** Polls a task of each provider while the task is running and after it has ended. */
  const pollTasks = async (): Promise<void> => {
    const { fal, openai, replicate } = providers;
    const polled = [
      [fal, `${fal.url}/fal-ai/flux/requests/${fal.accepted[0]}/status`, 'Key fal-key'],
      [openai.state, `${openai.url}/v1/responses/resp_1`, 'Bearer sk-test'],
      [replicate.state, `${replicate.url}/v1/predictions/${replicate.created[0]}`, 'Bearer r8-key'],
    ] as const;
    for (const [state, url, authorization] of polled) {
      state.polls = 2;
      for (let poll = 0; poll < 3; poll++) assert.ok((await fetch(url, { headers: { authorization } })).ok);
    }
  };

  it('match the types that the providers publish', async () => {
    for (const { nodeType, inputs } of models) {
      await submit(nodeType, createValues(inputs, false));
      const full = createValues(inputs, true);
      await submit(nodeType, full);
      if (findNode(nodeType)?.entry.nodeType.includes('fal_') === true) continue;
      const choices = inputs.flatMap(({ id, enum: options = [] }) =>
        options.map(option => ({ [id]: option })),
      );
      for (const choice of choices) await submit(nodeType, { ...full, ...choice });
    }
    for (const engine of ['openai', 'elevenlabs'])
      await submit('utility:speech', { text: 'Hello', engine, voice: 'alloy' });
    await pollTasks();
    const { fal, openai, replicate, elevenlabs } = providers;
    const samples: Sample[] = [];
    for (const [provider, double] of Object.entries({ fal, openai, replicate, elevenlabs })) {
      const requests = await requestSamples(provider, double.requests);
      assert.ok(requests.length >= 3, `${provider}: ${requests.length}`);
      samples.push(...requests, ...answerSamples(provider, double.exchanges));
    }
    assert.ok(samples.length > models.length * 2, String(samples.length));
    const faults = await findTypeErrors(IMPORTS, samples);
    assert.deepEqual([...new Set(faults)], []);
  });

  it('are refused if a name, a value or a type is wrong', async () => {
    const wrongSamples: readonly Sample[] = [
      { name: 'name', type: REQUESTS.openai?.[0]?.[1] ?? '', value: { prompt: 'x', size_of: 1 } },
      {
        name: 'value',
        type: "EndpointTypeMap['fal-ai/veo3.1']['input']",
        value: { prompt: 'x', duration: '9s' },
      },
      { name: 'type', type: 'CreateSoundEffectRequest.Raw', value: { text: 'x', loop: 'yes' } },
      { name: 'missing', type: 'BodyTextToSpeechFull.Raw', value: {} },
      { name: 'answer', type: 'Prediction', value: { id: 'p' } },
    ];
    const faults = await findTypeErrors(IMPORTS, wrongSamples);
    assert.deepEqual(
      faults.map(fault => fault.split(':')[0]),
      wrongSamples.map(({ name }) => name),
    );
  });
});
