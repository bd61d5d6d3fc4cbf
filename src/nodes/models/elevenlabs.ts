// Sounds and music of ElevenLabs; its voices speak in utility:speech.
import type { MediaRef } from '../../graph/types.ts';
import { elevenlabs } from '../../providers/elevenlabs.ts';
import { audio, choice, defineNode, type NodeContext, number, text } from '../define.ts';
import { CEILING, unpriced } from './pricing.ts';
import { callProvider, keepFile } from './provider-call.ts';

const ON_ELEVENLABS = { category: 'model', source: 'vendor', requires: 'elevenlabs' } as const;
const BY_PLAN = 'priced in credits of the plan that the operator has; see https://elevenlabs.io/pricing/api';
const FORMAT = choice('Format', ['mp3_44100_128', 'mp3_22050_32', 'mp3_44100_64', 'mp3_44100_192']);

export const audioElevenLabsSound = defineNode({
  ...ON_ELEVENLABS,
  nodeType: 'audio:elevenlabs_sound',
  label: 'ElevenLabs sound effect',
  description: 'POST /v1/sound-generation',
  inputs: { prompt: text('Prompt', { required: true }) },
  config: {
    duration_seconds: number('Seconds', {
      min: 0.5,
      max: 30,
      description: 'Unset: as long as the sound needs.',
    }),
    prompt_influence: number('Influence of the prompt', { default: 0.3, min: 0, max: 1 }),
    model_id: text('Model', { default: 'eleven_text_to_sound_v2' }),
    output_format: FORMAT,
    ...CEILING,
  },
  outputs: { audio: audio('Audio') },
  pricing: unpriced(BY_PLAN),
  run: async ({ prompt, duration_seconds, prompt_influence, model_id, output_format }, ctx) => {
    const body = { text: prompt, duration_seconds, prompt_influence, model_id };
    return { audio: await askForAudio(`/v1/sound-generation?output_format=${output_format}`, body, ctx) };
  },
});

export const audioElevenLabsMusic = defineNode({
  ...ON_ELEVENLABS,
  nodeType: 'audio:elevenlabs_music',
  label: 'ElevenLabs music',
  description: 'POST /v1/music',
  inputs: { prompt: text('Prompt', { required: true }) },
  config: {
    music_length_ms: number('Milliseconds', { default: 30_000, min: 3_000, max: 600_000 }),
    model_id: text('Model', { default: 'music_v2' }),
    output_format: FORMAT,
    ...CEILING,
  },
  outputs: { audio: audio('Audio') },
  pricing: unpriced(BY_PLAN),
  run: async ({ prompt, music_length_ms, model_id, output_format }, ctx) => {
    const body = { prompt, music_length_ms: Math.round(music_length_ms), model_id };
    return { audio: await askForAudio(`/v1/music?output_format=${output_format}`, body, ctx) };
  },
});

async function askForAudio(
  path: string,
  body: Readonly<Record<string, unknown>>,
  ctx: NodeContext,
): Promise<MediaRef> {
  return keepFile(await callProvider('elevenlabs', elevenlabs, { path, body }, ctx), 'audio', 'audio', ctx);
}
