// Starts doubles of all model providers, and creates a context whose nodes can connect only to the doubles.
import type { MediaRef } from '../../../src/graph/types.ts';
import { createGuardedFetch } from '../../../src/lib/fetch.ts';
import type { Providers } from '../../../src/nodes/models/providers.ts';
import { makeContext, type TestContext } from '../engine/node-context.ts';
import { plainImage } from '../media/pixels.ts';
import { type ComfyDouble, startComfy } from './comfyui.ts';
import type { Double } from './double.ts';
import { startElevenLabs } from './elevenlabs.ts';
import { type FalDouble, startFal } from './fal.ts';
import { type OpenAiDouble, startOpenAi } from './openai.ts';
import { type ReplicateDouble, startReplicate } from './replicate.ts';

export const MP4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0', 'latin1');
export const MP3 = Buffer.from('ID3\x04\0\0\0\0\0\0\0\0 audio', 'latin1');

export interface AllProviders {
  readonly fal: FalDouble;
  readonly replicate: ReplicateDouble;
  readonly openai: OpenAiDouble;
  readonly elevenlabs: Double;
  readonly comfyui: ComfyDouble;
  readonly ctx: TestContext;
  readonly png: Buffer;
  readonly picture: MediaRef;
  readonly speech: MediaRef;
  readonly clip: MediaRef;
  close(): Promise<void>;
}

/** Starts the doubles, which complete all tasks immediately. */
export async function startAllProviders(): Promise<AllProviders> {
  const png = await plainImage(8, 8, '#336699');
  const doubles = {
    fal: await startFal(png),
    replicate: await startReplicate(png),
    openai: await startOpenAi(png),
    elevenlabs: await startElevenLabs(MP3),
    comfyui: await startComfy(png),
  };
  const { fal, replicate, openai, elevenlabs, comfyui } = doubles;
  fal.polls = 0;
  for (const double of [replicate, openai, comfyui]) double.state.polls = 0;
  const providers: Providers = {
    fal: { baseUrl: fal.url, key: 'fal-key' },
    replicate: { baseUrl: `${replicate.url}/v1`, key: 'r8-key' },
    openai: { baseUrl: `${openai.url}/v1`, key: 'sk-test' },
    elevenlabs: { baseUrl: elevenlabs.url, key: 'xi-key' },
    comfyui: { baseUrl: comfyui.url, key: '' },
  };
  const trustedUrls = Object.values(doubles).map(({ url }) => url);
  const client = createGuardedFetch({ allowPrivate: false, trustedUrls });
  const bounds = { timeoutMs: 5_000, maxBytes: 1e8 };
  const ctx = makeContext({ providers, fetch: (url, init) => client.fetch(url, { ...bounds, ...init }) });
  return {
    ...doubles,
    ctx,
    png,
    picture: await ctx.upload(png, 'image/png'),
    speech: await ctx.upload(MP3, 'audio/mpeg'),
    clip: await ctx.upload(MP4, 'video/mp4'),
    close: async () => {
      await client.close();
      for (const double of Object.values(doubles)) await double.close();
    },
  };
}
