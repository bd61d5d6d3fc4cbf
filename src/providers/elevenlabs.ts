// Implements the ElevenLabs protocol: one request that returns the audio, with no task to poll.
// https://elevenlabs.io/docs/api-reference

import { DEFAULT_PACE, type Endpoint, type Protocol, type Provider, type Submission } from './provider.ts';
import { classifyStatus, ProviderError, type ProviderErrorKind } from './provider-error.ts';
import {
  asArray,
  asCount,
  asNonEmptyText,
  asRecord,
  type ProviderResponse,
  parseResponseObject,
} from './response.ts';

export interface ElevenLabsCall {
  /** Includes the query, for example `/v1/sound-generation?output_format=mp3_44100_128`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const TIMEOUT_MS = 240_000;
const MAX_AUDIO_BYTES = 134_217_728;
// A slot is free as soon as any other request ends, so submissions without a slot are retried at short, equal intervals.
const SLOT_DELAY_MS = 500;

export function createElevenLabsProvider(endpoint: Endpoint): Provider<ElevenLabsCall> {
  return { name: 'elevenlabs', pace: DEFAULT_PACE, classify, submit: call => submit(endpoint, call) };
}

function* submit({ baseUrl, key }: Endpoint, { path, body }: ElevenLabsCall): Protocol<Submission> {
  const response = yield {
    method: 'POST',
    url: baseUrl + path,
    headers: { 'xi-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_AUDIO_BYTES,
    role: 'submits',
  };
  if (response.status !== 200) throw classify(response);
  if (response.body.length === 0) throw new ProviderError('elevenlabs', 'bad_output', { detail: 'no audio' });
  // Prices are computed from numbers, but header values are strings.
  const characters = asCount(response.headers['character-cost']);
  return {
    output: { files: [response.body], ...(characters === undefined ? {} : { usage: { characters } }) },
  };
}

const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  quota_exceeded: 'insufficient_funds',
  insufficient_credits: 'insufficient_funds',
  invalid_api_key: 'auth',
  missing_permissions: 'auth',
  voice_not_found: 'invalid_input',
  max_character_limit_exceeded: 'invalid_input',
  too_many_concurrent_requests: 'rate_limited',
  concurrent_limit_exceeded: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  system_busy: 'rate_limited',
  content_against_policy: 'content_policy',
};

const NO_SLOT_CODES: ReadonlySet<string> = new Set([
  'too_many_concurrent_requests',
  'concurrent_limit_exceeded',
]);

function classify(response: ProviderResponse): ProviderError {
  const detail = parseResponseObject(response)?.detail;
  const { code: errorCode, status, message } = asRecord(detail);
  const [problem] = asArray(detail).map(asRecord);
  // `status` is the older name of `code`. If both are present, only `code` distinguishes errors with the same status.
  const code =
    [asNonEmptyText(errorCode), asNonEmptyText(status)].find(
      name => name !== undefined && name in KIND_BY_CODE,
    ) ?? '';
  return new ProviderError('elevenlabs', KIND_BY_CODE[code] ?? classifyStatus(response.status), {
    detail: asNonEmptyText(message) ?? asNonEmptyText(problem?.msg) ?? asNonEmptyText(detail),
    retryAfterMs: NO_SLOT_CODES.has(code) ? SLOT_DELAY_MS : undefined,
  });
}
