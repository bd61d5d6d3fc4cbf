// Starts test doubles of the five providers, which record the requests that they receive.
import { plainImage } from '../support/media/pixels.ts';
import { startComfy } from '../support/providers/comfyui.ts';
import type { Double, Fault } from '../support/providers/double.ts';
import { startElevenLabs } from '../support/providers/elevenlabs.ts';
import { startFal } from '../support/providers/fal.ts';
import { startOpenAi } from '../support/providers/openai.ts';
import { startReplicate } from '../support/providers/replicate.ts';
import { PROMPT } from './shapes.ts';

export interface Submission {
  readonly provider: string;
  /** The id that the service chose, if the provider accepts such ids. */
  readonly ourId: string | undefined;
}

export interface Providers {
  readonly env: NodeJS.ProcessEnv;
  /** Returns the tasks that the providers have accepted, by prompt. The key `17 m` is node `m` of run 17. */
  submissions(): ReadonlyMap<string, readonly Submission[]>;
  // In these functions, `share` selects the provider: at least 0 and below 1.
  /** Makes a provider refuse the next submissions with a rate limit. */
  refuse(share: number): void;
  /** Makes a provider fail the next `GET` requests. */
  fail(share: number): void;
  /** Makes a provider accept the next submission, but close the connection before it responds. */
  reset(share: number): void;
  close(): Promise<void>;
}

/** The polls until a task ends. Polls are at least half a second apart. */
const POLLS = 3;
const SUBMISSION =
  /^POST \S*(fal-ai\/\S*|\/predictions|\/images\/generations|\/chat\/completions|\/v1\/responses|\/sound-generation\S*|\/prompt)$/;
const GET_REQUEST = /^GET /;
const RATE_LIMITED: Fault = {
  status: 429,
  headers: { 'retry-after': '1' },
  body: { detail: 'Too many requests' },
};
const UNAVAILABLE: Fault = { status: 503, body: { detail: 'Bad gateway' } };

export async function startProviders(): Promise<Providers> {
  const image = await plainImage(64, 64, '#336699');
  const doubles = {
    fal: await startFal(image),
    replicate: await startReplicate(image),
    openai: await startOpenAi(image),
    elevenlabs: await startElevenLabs(createSilentWav()),
    comfyui: await startComfy(image),
  };
  const { fal, replicate, openai, elevenlabs, comfyui } = doubles;
  fal.polls = POLLS;
  fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
  replicate.state.polls = POLLS;
  replicate.state.end = { status: 'succeeded', output: `${replicate.url}/delivery/a.png` };
  openai.state.polls = POLLS;
  comfyui.state.polls = POLLS;
  const providers: readonly Double[] = Object.values(doubles);
  const pickProvider = (share: number): Double => providers[Math.floor(share * providers.length)] as Double;
  return {
    env: {
      FAL_KEY: 'fal-key',
      FAL_BASE_URL: fal.url,
      REPLICATE_API_TOKEN: 'r8-key',
      REPLICATE_BASE_URL: `${replicate.url}/v1`,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: `${openai.url}/v1`,
      ELEVENLABS_API_KEY: 'xi-key',
      ELEVENLABS_BASE_URL: elevenlabs.url,
      COMFYUI_URL: comfyui.url,
    },
    submissions: () => listSubmissions(doubles),
    refuse: share => pickProvider(share).failRequests(SUBMISSION, RATE_LIMITED, 2),
    fail: share => pickProvider(share).failRequests(GET_REQUEST, UNAVAILABLE, 3),
    reset: share => pickProvider(share).failResponses(SUBMISSION, 'reset'),
    close: async () => {
      await Promise.all(providers.map(double => double.close()));
    },
  };
}

function listSubmissions(
  doubles: Readonly<Record<string, Double>>,
): ReadonlyMap<string, readonly Submission[]> {
  const submissions = new Map<string, Submission[]>();
  for (const [provider, { processed }] of Object.entries(doubles)) {
    for (const { method, path, body, json } of processed) {
      const { run, prompt } = PROMPT.exec(body.toString('utf8'))?.groups ?? {};
      if (run === undefined || !SUBMISSION.test(`${method} ${path}`)) continue;
      const ourId = typeof json.prompt_id === 'string' ? json.prompt_id : undefined;
      const key = `${run} ${prompt}`;
      submissions.set(key, [...(submissions.get(key) ?? []), { provider, ourId }]);
    }
  }
  return submissions;
}

/** Creates a tenth of a second of silence: WAV of 8 kHz, 16 bits. */
function createSilentWav(): Buffer {
  const samples = Buffer.alloc(1600);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
