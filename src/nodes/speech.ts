// Declares the speech node, which uses a local engine or a provider.
import type { MediaRef } from '../graph/types.ts';
import { createElevenLabsProvider } from '../providers/elevenlabs.ts';
import type { DownloadedOutput } from '../providers/run-call.ts';
import { synthesizeWithCommand } from '../providers/speech-command.ts';
import {
  audio,
  choice,
  defineNode,
  type NodeContext,
  type NodeDefinition,
  NodeError,
  number,
  text,
} from './define.ts';
import { callOpenAi } from './models/openai-call.ts';
import { MAX_CREDITS, type Pricing } from './models/pricing.ts';
import { callProvider, storeFirstFile } from './models/provider-call.ts';
import { findServer, SERVER_FIELD, toOpenAiKey, withServers } from './models/servers.ts';

/** The engines in the order of preference for the default: free ones first. */
export const ENGINES = ['local', 'openai', 'elevenlabs'] as const;
export type Engine = (typeof ENGINES)[number];

interface SpeechRequest {
  readonly text: string;
  readonly voice: string | undefined;
  readonly model: string | undefined;
  readonly server: string | undefined;
}

const OPENAI_MODEL = 'tts-1';
const OPENAI_USD_PER_CHARACTER: Readonly<Record<string, number>> = {
  'tts-1': 15 / 1_000_000,
  'tts-1-hd': 30 / 1_000_000,
};
const ELEVENLABS_VOICE = 'JBFqnCBsd6RMkjVDRZzb';
const ELEVENLABS_MODEL = 'eleven_multilingual_v2';
const MAX_CHARACTERS: Readonly<Record<Engine, number>> = {
  local: 100_000,
  openai: 4_096,
  elevenlabs: 10_000,
};

const PRICING: Pricing = {
  pricingModel: 'unknown',
  usd: ({ engine, text: content, model, server }) => {
    // The catalog calls this function without text for the price in the entry.
    if (typeof content !== 'string') return null;
    if (engine === 'local') return 0;
    if (engine === 'openai' && findServer({ server }) !== undefined) return null;
    const rate = OPENAI_USD_PER_CHARACTER[String(model ?? OPENAI_MODEL)];
    return engine === 'openai' && rate !== undefined ? [...content].length * rate : null;
  },
  isUnpriced: ({ engine, model, server }) =>
    engine === 'elevenlabs' ||
    (engine === 'openai' &&
      (findServer({ server }) !== undefined ||
        OPENAI_USD_PER_CHARACTER[String(model ?? OPENAI_MODEL)] === undefined)),
  source:
    'OpenAI: https://developers.openai.com/api/docs/models/tts-1, read 2026-11-21; ElevenLabs: by plan; local: free',
};

const ENGINE_CALLS: Readonly<
  Record<Engine, (request: SpeechRequest, ctx: NodeContext) => Promise<DownloadedOutput>>
> = {
  local: async ({ text: content }, ctx) => {
    const command = ctx.providers.speechCommand;
    if (command !== undefined) return { files: [await synthesizeWithCommand(command, content, ctx.signal)] };
    throw new NodeError(
      'provider_not_configured',
      'This service has no local speech engine. Choose a provider.',
    );
  },
  openai: ({ text: input, voice = 'alloy', model = OPENAI_MODEL, server }, ctx) => {
    const body = { model, input, voice, response_format: 'mp3' };
    return callOpenAi({ server }, { kind: 'speech', body }, ctx);
  },
  elevenlabs: ({ text: content, voice = ELEVENLABS_VOICE, model = ELEVENLABS_MODEL }, ctx) => {
    const path = `/v1/text-to-speech/${encodeURIComponent(voice)}?output_format=mp3_44100_128`;
    return callProvider(
      'elevenlabs',
      createElevenLabsProvider,
      { path, body: { text: content, model_id: model } },
      ctx,
    );
  },
};

export const SPEECH_REQUIREMENTS = {
  local: 'speech-command',
  openai: 'openai',
  elevenlabs: 'elevenlabs',
} as const;

/**
 * Creates the node for a service with these engines, of which the first is the default. With only a local engine, the
 * node is free of charge. Without engines, it is shown as if all were available.
 */
export function createSpeechNode(engines: readonly Engine[]): NodeDefinition {
  const isLocal = engines.length > 0 && engines.every(engine => engine === 'local');
  const orderedEngines = [...engines, ...ENGINES.filter(engine => !engines.includes(engine))];
  const definition = defineNode({
    nodeType: 'utility:speech',
    label: 'Speech',
    description: 'Converts text to speech with the local engine or a provider.',
    category: 'utility',
    source: isLocal ? 'non-vendor' : 'vendor',
    requires: config => {
      const engine = orderedEngines.find(engine => engine === config.engine) ?? (orderedEngines[0] as Engine);
      return engine === 'openai' ? toOpenAiKey(config) : SPEECH_REQUIREMENTS[engine];
    },
    inputs: { text: text('Text', { required: true }) },
    config: { engine: choice('Engine', orderedEngines as [Engine, ...Engine[]]), ...SERVER_FIELD, ...FIELDS },
    outputs: { audio: audio('Audio') },
    ...(isLocal ? {} : { pricing: PRICING }),
    run: runSpeech,
  });
  return withServers(definition, 'speech');
}

const FIELDS = {
  voice: text('Voice', {
    description: 'The name of the voice at the provider. Ignored by the local engine.',
  }),
  model: text('Model', {
    description: `Default: ${OPENAI_MODEL} for OpenAI, ${ELEVENLABS_MODEL} for ElevenLabs.`,
  }),
  [MAX_CREDITS]: number('Max credits', {
    min: 1,
    max: 1_000_000,
    integer: true,
    description:
      'The most that one call may cost if its price is known only after the call. Required for ElevenLabs.',
  }),
};

async function runSpeech(
  { text: content, engine, voice, model, server }: SpeechRequest & { readonly engine: Engine },
  ctx: NodeContext,
): Promise<{ readonly audio: MediaRef }> {
  const length = [...content].length;
  if (length === 0 || length > MAX_CHARACTERS[engine]) {
    const limit = `${engine} speaks 1 to ${MAX_CHARACTERS[engine]} characters per call`;
    throw new NodeError('invalid_input', `The text has ${length} characters; ${limit}. Split it.`);
  }
  const output = await ENGINE_CALLS[engine]({ text: content, voice, model, server }, ctx);
  return { audio: await storeFirstFile(output, 'audio', 'speech', ctx) };
}
