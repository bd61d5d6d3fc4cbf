// Compares charges with provider bills, which are computed in a table of calls by the provider's own pricing rule.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readShippedModels } from '../../src/nodes/models/shipped.ts';
import type { Client } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import { type PaidExecution, type PaidService, runPaid, startPaidService } from '../support/credits/paid.ts';
import { mp4, wav } from '../support/media/files.ts';
import { plainImage } from '../support/media/pixels.ts';
import type { Double } from '../support/providers/double.ts';
import { startElevenLabs } from '../support/providers/elevenlabs.ts';
import { type ReplicateDouble, startReplicate } from '../support/providers/replicate.ts';
import { edge, node } from '../support/workflows.ts';

interface Call {
  readonly name: string;
  readonly nodeType: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** What the provider reports: fal units, ElevenLabs characters, OpenAI tokens. */
  readonly reports?: { readonly units?: number; readonly characters?: number; readonly usage?: object };
  /** The bill in USD. */
  readonly bill: number;
  /** Seconds of the input sound. */
  readonly seconds?: number;
}

const SENTENCE = 'All foxes sleep. ';
const tokens = (input: number, output: number, more: object = {}) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  ...more,
});
const imageTokens = (text: number, image: number, output: number) => ({
  input_tokens: text + image,
  input_tokens_details: { text_tokens: text, image_tokens: image },
  output_tokens: output,
  total_tokens: text + image + output,
});

/** The operator's prices for providers that bill by token or character. */
const PRICES = {
  'text:openai_chat': {
    usdPerMillionInputTokens: 20,
    usdPerMillionCachedInputTokens: 5,
    usdPerMillionOutputTokens: 80,
  },
  'text:openai_chat/local': { usdPerCall: 0 },
  'text:openai_responses': { usdPerMillionInputTokens: 20, usdPerMillionOutputTokens: 80 },
  'generate:openai_gpt_image': {
    usdPerMillionInputTokens: 5,
    usdPerMillionImageInputTokens: 8,
    usdPerMillionOutputTokens: 30,
  },
  'audio:elevenlabs_sound': { usdPerMillionCharacters: 300 },
  'audio:elevenlabs_music': { usdPerMillionCharacters: 300 },
  'edit:replicate_flux_kontext': { usdPerCall: 0.04 },
  'text:replicate_llama': { usdPerCall: 0.015 },
};

const fal = (nodeType: string, bill: number, config: object = {}, reports: Call['reports'] = {}): Call => ({
  name: `${nodeType} ${JSON.stringify(config)}${reports.units === undefined ? '' : `, ${reports.units} units`}`,
  nodeType,
  config: { ...config },
  reports,
  bill,
});
const describeCall = (name: string, nodeType: string, bill: number, more: Partial<Call> = {}): Call => ({
  name: `${nodeType} ${name}`,
  nodeType,
  bill,
  ...more,
});

const CALLS: readonly Call[] = [
  fal('generate:fal_seedream', 0.03),
  fal('generate:fal_flux_dev', 0.025, { image_size: 'square_hd' }),
  fal('generate:fal_flux_dev', 0.025, { image_size: 'landscape_4_3' }, { units: 1 }),
  fal('generate:fal_flux_2', 0.012),
  fal('generate:fal_flux_2_pro', 0.03, { image_size: 'landscape_16_9' }),
  fal('generate:fal_nano_banana_pro', 0.15),
  fal('generate:fal_nano_banana_pro', 0.15 * 2, { resolution: '4K' }),
  fal('generate:fal_nano_banana_pro', 0.15 * 2 + 0.015, { resolution: '4K', enable_web_search: true }),
  fal('generate:fal_nano_banana_2', 0.08 * 1.5, { resolution: '2K' }),
  fal('generate:fal_nano_banana_2', 0.08 * 0.75, { resolution: '0.5K' }),
  fal('edit:fal_ideogram_v3', 0.09, { rendering_speed: 'QUALITY' }),
  fal('generate:fal_openai_gpt_image_2', 0.2113, { maxCredits: 50 }, { units: 0.2113 }),
  fal('video:fal_veo3_1', 0.4 * 8),
  fal('video:fal_veo3_1', 0.2 * 4, { duration: '4s', generate_audio: false, resolution: '1080p' }),
  fal('video:fal_veo3_1_lite', 0.05 * 4, { duration: '4s' }),
  fal('video:fal_veo3_1_fast', 0.1 * 6, { duration: '6s', generate_audio: false }),
  fal('video:fal_kling_video_v3_pro_text_to_video', 0.168 * 5),
  fal('video:fal_kling_video_v3_pro_text_to_video', 0.112 * 10, { duration: '10', generate_audio: false }),
  fal('video:fal_kling_video_o3_pro_text_to_video', 0.112 * 5),
  fal('video:fal_bytedance_seedance_v1_5_pro_text_to_video', (2.4 * 1280 * 720 * 24 * 5) / 1024 / 1e6),
  fal('video:fal_seedance', 0.24, { duration: '5' }, { units: 0.24 }),
  fal('video:fal_bytedance_seedance_2_0_text_to_video', 0.3034, { maxCredits: 90 }, { units: 21.671 }),
  fal('video:fal_wan_v2_7_text_to_video', 0.15 * 5),
  fal('video:fal_wan_v2_7_text_to_video', 0.1 * 5, { resolution: '720p' }),
  fal('video:fal_minimax_hailuo_2_3_standard_text_to_video', 0.56, { duration: '10' }),
  fal('video:fal_minimax_hailuo_2_3_pro_text_to_video', 0.49),
  fal('video:fal_ltx_2_3_text_to_video', 0.16 * 6, { resolution: '1440p' }),
  fal('video:fal_ltx_2_text_to_video', 0.06 * 8, { duration: '8' }),
  fal('video:fal_pixverse_v6_text_to_video', 0.045 * 5),
  fal('video:fal_pixverse_v6_text_to_video', 0.115 * 7, {
    duration: 7,
    resolution: '1080p',
    generate_audio_switch: true,
  }),
  fal('video:fal_vidu_q3_text_to_video', 0.07 * 2.2 * 5),
  fal('audio:fal_elevenlabs_tts_eleven_v3', 0.1 * 1.7, { maxCredits: 50, text: SENTENCE.repeat(100) }),
  fal(
    'audio:fal_elevenlabs_tts_eleven_v3',
    0.1 * 0.9,
    { maxCredits: 50, text: '狐🦊'.repeat(450) },
    { units: 0.9 },
  ),
  fal('audio:fal_elevenlabs_music', 0.8, { maxCredits: 200 }, { units: 1 }),
  fal('audio:fal_stable_audio', 0.2),
  {
    ...fal('talking:fal_omnihuman', 0.16 * 2, { maxCredits: 50, resolution: '720p' }, { units: 2 }),
    seconds: 2,
  },
  {
    ...fal('text:fal_elevenlabs_speech_to_text_scribe_v2', 0.008 * 2, { maxCredits: 9 }, { units: 2 }),
    seconds: 1,
  },
  describeCall('by its tokens', 'text:openai_chat', (1000 * 20 + 500 * 80) / 1e6, {
    reports: { usage: tokens(1000, 500) },
  }),
  describeCall('with cached tokens', 'text:openai_chat', (2000 * 20 + 8000 * 5 + 500 * 80) / 1e6, {
    reports: { usage: tokens(10_000, 500, { prompt_tokens_details: { cached_tokens: 8000 } }) },
  }),
  describeCall('of your own server', 'text:openai_chat', 0, {
    config: { model: 'local' },
    reports: { usage: tokens(1000, 500) },
  }),
  describeCall('by text and image tokens', 'generate:openai_gpt_image', (50 * 5 + 4200 * 30) / 1e6, {
    reports: { usage: imageTokens(50, 0, 4200) },
  }),
  describeCall('with input images', 'generate:openai_gpt_image', (50 * 5 + 1000 * 8 + 4200 * 30) / 1e6, {
    reports: { usage: imageTokens(50, 1000, 4200) },
  }),
  describeCall('of 1,700 characters', 'utility:speech', (1700 * 15) / 1e6, {
    config: { engine: 'openai', text: SENTENCE.repeat(100) },
  }),
  describeCall('of 120 characters', 'audio:elevenlabs_sound', (120 * 300) / 1e6, {
    reports: { characters: 120 },
  }),
  describeCall('of 2,500 characters', 'audio:elevenlabs_music', (2500 * 300) / 1e6, {
    config: { maxCredits: 100 },
    reports: { characters: 2500 },
  }),
  describeCall('an image', 'generate:replicate_flux_pro', 0.04),
  describeCall('an image of a small model', 'generate:replicate_flux_schnell', 0.003),
  describeCall('at a price set by the operator', 'text:replicate_llama', 0.015),
];

const asFile = (type: string, bytes: Buffer) => ({ url: `data:${type};base64,${bytes.toString('base64')}` });
const PICTURE = asFile('image/png', await plainImage(8, 8, '#336699'));
const [CLIP, SOUND] = [asFile('video/mp4', mp4(5_000)), asFile('audio/wav', wav(20_000))];
/** What fal delivers, by the family of the model. */
const RESULTS: Readonly<Record<string, object>> = {
  generate: { images: [PICTURE], image: PICTURE },
  edit: { images: [PICTURE], image: PICTURE },
  video: { video: CLIP },
  talking: { video: CLIP },
  audio: { audio: SOUND, audio_file: SOUND },
  text: { text: 'A fox.' },
};
const ENDPOINTS = new Map(readShippedModels().map(({ nodeType, endpoint }) => [nodeType, endpoint]));

/** Converts a bill to credits, which are cents, rounded up. */
const toCharge = (usd: number): number => Math.max(0, Math.ceil(usd * 100 - 1e-6));

describe('the charge of a call', () => {
  let folder: string;
  let paid: PaidService;
  let elevenlabs: Double;
  let replicate: ReplicateDouble;
  let user: Client;
  const outcomes = new Map<Call, PaidExecution>();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-charges-'));
    const file = join(folder, 'prices.json');
    await writeFile(file, JSON.stringify(PRICES));
    elevenlabs = await startElevenLabs(wav(20_000));
    replicate = await startReplicate(wav(20_000));
    replicate.state.polls = 0;
    paid = await startPaidService({
      PRICES_FILE: file,
      ELEVENLABS_API_KEY: 'xi-key',
      ELEVENLABS_BASE_URL: elevenlabs.url,
      REPLICATE_API_TOKEN: 'r8-key',
      REPLICATE_BASE_URL: `${replicate.url}/v1`,
    });
    paid.fal.polls = 0;
    user = await paid.newUser(30_000);
    await runAll();
  });
  after(async () => {
    await assertLedgerBalanced(paid.service.db);
    await paid.close();
    await elevenlabs.close();
    await replicate.close();
    await rm(folder, { recursive: true });
  });

  /** Makes the provider of the call respond with a result and its usage. */
  const setResponse = ({ nodeType, reports = {} }: Call): void => {
    const { units, usage, characters } = reports;
    const headers: Record<string, string> =
      units === undefined ? {} : { 'x-fal-billable-units': String(units) };
    const [family = ''] = nodeType.split(':');
    const endpoint = ENDPOINTS.get(nodeType);
    if (nodeType.includes(':fal_')) {
      paid.fal.results.set(`/${endpoint}`, { status: 200, headers, body: RESULTS[family] });
    }
    const isText = family === 'text';
    replicate.state.end = { status: 'succeeded', output: isText ? ['A fox.'] : PICTURE.url };
    if (nodeType === 'utility:speech')
      paid.openai.failResponses(/speech/, { status: 200, body: wav(20_000) });
    if (usage !== undefined && isText) {
      const message = { role: 'assistant', content: 'A fox.', refusal: null };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      paid.openai.failResponses(/chat/, { status: 200, body: { id: 'c', choices, usage } });
    } else if (usage !== undefined) {
      const b64_json = PICTURE.url.slice(PICTURE.url.indexOf(',') + 1);
      paid.openai.failResponses(/images/, { status: 200, body: { created: 1, data: [{ b64_json }], usage } });
    }
    if (characters === undefined) return;
    const headersWithCost = { 'content-type': 'audio/mpeg', 'character-cost': String(characters) };
    elevenlabs.failResponses(/v1/, { status: 200, headers: headersWithCost, body: wav(20_000) });
  };

  const upload = async (type: string, bytes: Buffer): Promise<string> => {
    const dataUrl = `data:${type};base64,${bytes.toString('base64')}`;
    const { body } = await user.request<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
    return body.mediaId;
  };
  const buildGraph = async ({ nodeType, config = {}, seconds }: Call): Promise<object> => {
    const model = node('m', nodeType, { prompt: SENTENCE, text: SENTENCE, maxCredits: 500, ...config });
    if (seconds === undefined) return { nodes: [model], edges: [] };
    const sound = await upload('audio/wav', wav(192_000 * seconds + 44));
    const picture = await upload('image/png', Buffer.from(PICTURE.url.split(',')[1] ?? '', 'base64'));
    return {
      nodes: [
        node('a', 'input:audio', { mediaId: sound }),
        node('i', 'input:image', { mediaId: picture }),
        model,
      ],
      edges: [
        edge('a.audio > m.audio'),
        ...(nodeType.startsWith('talking:') ? [edge('i.image > m.image')] : []),
      ],
    };
  };

  /** Runs calls concurrently, except calls of the same fal model and all calls to other providers. */
  const runAll = async (): Promise<void> => {
    const callsByResponse = Map.groupBy(CALLS, ({ nodeType }) =>
      nodeType.includes(':fal_') ? nodeType : '',
    );
    await Promise.all(
      [...callsByResponse.values()].map(async calls => {
        for (const call of calls) {
          setResponse(call);
          outcomes.set(call, await runPaid(user, await buildGraph(call)));
        }
      }),
    );
  };

  for (const call of CALLS) {
    it(`is ${call.bill.toFixed(4)} USD for ${call.name}`, () => {
      const outcome = outcomes.get(call);
      assert.equal(outcome?.status, 'COMPLETED', JSON.stringify(outcome).slice(0, 2000));
      assert.equal(outcome?.credits.charged, toCharge(call.bill), JSON.stringify(outcome?.credits));
    });
  }

  it('compares at least forty calls', () => {
    assert.ok(CALLS.length >= 40, String(CALLS.length));
  });
});
