// Implements the protocol of OpenAI and compatible servers. Image, chat, speech and transcription requests return the
// result directly; background responses are tasks. https://developers.openai.com/api/reference

import { isRecord } from '../lib/record.ts';
import { encodeForm, type FormField } from './multipart.ts';
import {
  Attachment,
  type Cancellation,
  DEFAULT_PACE,
  type Endpoint,
  type Handle,
  type Output,
  type Pace,
  type Poll,
  type Protocol,
  type Provider,
  type ProviderRequest,
  type Submission,
  toDataUri,
} from './provider.ts';
import { classifyStatus, ProviderError, type ProviderErrorKind } from './provider-error.ts';
import {
  asArray,
  asId,
  asNonEmptyText,
  asRecord,
  asUrl,
  type JsonRecord,
  type ProviderResponse,
  parseResponseObject,
  readDataUri,
} from './response.ts';

/** A request whose response is the result. */
export type OpenAiCall =
  | { readonly kind: 'image' | 'chat' | 'speech'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'edit'; readonly fields: readonly FormField[] }
  | { readonly kind: 'transcription'; readonly fields: readonly FormField[] };

const PATHS: Readonly<Record<OpenAiCall['kind'], string>> = {
  image: '/images/generations',
  edit: '/images/edits',
  chat: '/chat/completions',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
};

// A local server may have to load the model first.
const TIMEOUT_MS = 600_000;
const MAX_BYTES = 134_217_728;
/** The times of the words of ten minutes take 1 MB. */
const MAX_TEXT_BYTES = 16_777_216;

/** A server of one's own either answers soon or is not running. With the time limit of a connection this is 15 s. */
const SERVER_PACE: Pace = { ...DEFAULT_PACE, retryForMs: 5_000 };

/** Creates the provider for images, chat, speech and transcriptions. An aborted request may still be billed. */
export function createOpenAiProvider(endpoint: Endpoint): Provider<OpenAiCall> {
  return { name: 'openai', pace: DEFAULT_PACE, classify, submit: call => submit(endpoint, call) };
}

/** Creates the provider for a named server, whose error responses mean that it has not done the work. */
export function createServerProvider(endpoint: Endpoint): Provider<OpenAiCall> {
  return {
    name: 'openai',
    pace: SERVER_PACE,
    classify,
    submit: call => submit(endpoint, call, { hasClearErrors: true }),
  };
}

/** Creates the provider for background responses, which can be polled and cancelled. */
export function createOpenAiResponsesProvider(
  endpoint: Endpoint,
): Provider<Readonly<Record<string, unknown>>> {
  return {
    name: 'openai',
    pace: DEFAULT_PACE,
    getModel: ({ model }) => String(model),
    classify,
    submit: body => submitResponse(endpoint, body),
    tasks: {
      poll: handle => pollResponse(endpoint, handle),
      cancel: handle => cancelResponse(endpoint, handle),
    },
  };
}

function* submit(
  endpoint: Endpoint,
  call: OpenAiCall,
  options: Pick<ProviderRequest, 'hasClearErrors'> = {},
): Protocol<Submission> {
  const response = yield {
    ...withBody(endpoint, PATHS[call.kind], call),
    timeoutMs: TIMEOUT_MS,
    maxBytes:
      call.kind === 'image' || call.kind === 'edit' || call.kind === 'speech' ? MAX_BYTES : MAX_TEXT_BYTES,
    role: 'submits',
    ...options,
  };
  if (response.status !== 200) throw classify(response);
  if (call.kind === 'speech') return { output: { files: [response.body] } };
  const reply = parseResponseObject(response);
  if (reply === undefined) throw createBadOutputError('the response is not JSON');
  // Some servers report an error with status 200.
  const { error, ...rest } = reply;
  if (Object.keys(rest).length === 0 && error !== undefined) throw classify(response);
  return { output: READERS[call.kind](reply) };
}

const READERS: Readonly<Record<Exclude<OpenAiCall['kind'], 'speech'>, (reply: JsonRecord) => Output>> = {
  chat: readChat,
  image: readImages,
  edit: readImages,
  transcription: readTranscription,
};

/** Returns the text, and the whole response as parts, because servers differ in what they time. */
function readTranscription(reply: JsonRecord): Output {
  if (typeof reply.text !== 'string') throw createBadOutputError('no text');
  return { files: [], text: reply.text, chunks: reply, usage: reply.usage };
}

function* submitResponse(endpoint: Endpoint, body: Readonly<Record<string, unknown>>): Protocol<Submission> {
  const response = yield {
    ...withBody(endpoint, '/responses', { body: { ...body, background: true } }),
    role: 'submits',
  };
  if (response.status !== 200) throw classify(response);
  const id = asId(parseResponseObject(response)?.id);
  if (id === undefined)
    throw new ProviderError('openai', 'outcome_unknown', { detail: 'the response contains no id' });
  return { handle: { id } };
}

function* pollResponse(endpoint: Endpoint, { id }: Handle): Protocol<Poll> {
  const response = yield toRequest(endpoint, 'GET', `/responses/${id}`);
  if (response.status === 404) throw new ProviderError('openai', 'lost');
  if (response.status !== 200) throw classify(response);
  const reply = parseResponseObject(response) ?? {};
  if (reply.status === 'queued' || reply.status === 'in_progress') return { isRunning: true };
  return { output: readResponse(reply) };
}

/** Cancels a response, unless it has finished. A cancelled response is billed for the tokens that it reports. */
function* cancelResponse(endpoint: Endpoint, { id }: Handle): Protocol<Cancellation> {
  const cancelled = yield toRequest(endpoint, 'POST', `/responses/${id}/cancel`);
  const response =
    cancelled.status === 200 ? cancelled : yield toRequest(endpoint, 'GET', `/responses/${id}`);
  if (response.status === 404) return { kind: 'cancelled' };
  if (response.status !== 200) throw classify(response);
  const { status, usage } = parseResponseObject(response) ?? {};
  if (status === 'queued' || status === 'in_progress') return { kind: 'running' };
  const isBilled = status === 'completed' || status === 'incomplete' || isRecord(usage);
  return isBilled ? { kind: 'billed', usage } : { kind: 'cancelled' };
}

function toRequest(
  { baseUrl, key }: Endpoint,
  method: ProviderRequest['method'],
  path: string,
): ProviderRequest {
  return { method, url: baseUrl + path, headers: toOpenAiHeaders(key) };
}

/** Returns the headers with the key. A server without a key must not get an invalid one. */
export const toOpenAiHeaders = (key: string): Readonly<Record<string, string>> =>
  key === '' ? {} : { authorization: `Bearer ${key}` };

function withBody(
  endpoint: Endpoint,
  path: string,
  call: { readonly body: unknown } | { readonly fields: readonly FormField[] },
): ProviderRequest {
  const request = toRequest(endpoint, 'POST', path);
  const { contentType, body } =
    'fields' in call
      ? encodeForm(call.fields)
      : { contentType: 'application/json', body: JSON.stringify(call.body, inlineAttachment) };
  return { ...request, headers: { ...request.headers, 'content-type': contentType }, body };
}

function inlineAttachment(_name: string, value: unknown): unknown {
  return value instanceof Attachment ? toDataUri(value) : value;
}

function readImages({ data, usage }: JsonRecord): Output {
  const files = asArray(data)
    .map(asRecord)
    .flatMap(({ b64_json, url }) => {
      const base64 = asNonEmptyText(b64_json);
      if (base64 !== undefined) return readDataUri(base64) ?? Buffer.from(base64, 'base64');
      const address = asUrl(url);
      return address === undefined ? [] : { method: 'GET' as const, url: address };
    });
  return { files, usage };
}

function readChat({ choices, usage }: JsonRecord): Output {
  const { message, finish_reason } = asRecord(asArray(choices)[0]);
  const { content, refusal } = asRecord(message);
  const refusalText = asNonEmptyText(refusal);
  if (refusalText !== undefined || finish_reason === 'content_filter') {
    throw new ProviderError('openai', 'content_policy', { detail: refusalText });
  }
  if (typeof content !== 'string' || content === '') {
    throw createBadOutputError(
      finish_reason === 'length' ? 'the token limit was reached before any text was generated' : 'no text',
    );
  }
  return { files: [], text: content, usage, ...(finish_reason === 'length' ? TRUNCATED_WARNING : {}) };
}

const TRUNCATED_WARNING = { warnings: ['The text was cut off at the token limit of the node.'] } as const;

function readResponse({ status, output, error, incomplete_details, usage }: JsonRecord): Output {
  if (status === 'cancelled') throw new ProviderError('openai', 'cancelled');
  if (status === 'failed') {
    const { code, message } = asRecord(error);
    throw new ProviderError('openai', KIND_BY_CODE[String(code)] ?? 'failed', {
      detail: asNonEmptyText(message),
    });
  }
  const { reason } = asRecord(incomplete_details);
  const parts = asArray(output).flatMap(item => asArray(asRecord(item).content).map(asRecord));
  const refusal = parts.map(part => asNonEmptyText(part.refusal)).find(text => text !== undefined);
  if (refusal !== undefined || reason === 'content_filter') {
    throw new ProviderError('openai', 'content_policy', { detail: refusal });
  }
  const text = parts
    .flatMap(part => (part.type === 'output_text' ? (asNonEmptyText(part.text) ?? []) : []))
    .join('');
  if (text === '')
    throw createBadOutputError(reason === undefined ? 'no text' : `no text (${String(reason)})`);
  return { files: [], text, usage, ...(status === 'incomplete' ? TRUNCATED_WARNING : {}) };
}

const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  insufficient_quota: 'insufficient_funds',
  billing_hard_limit_reached: 'insufficient_funds',
  rate_limit_exceeded: 'rate_limited',
  invalid_api_key: 'auth',
  moderation_blocked: 'content_policy',
  content_policy_violation: 'content_policy',
  image_content_policy_violation: 'content_policy',
  invalid_prompt: 'invalid_input',
  server_error: 'unavailable',
};

/**
 * Classifies an error response. On compatible servers, `error` may be a string, its code a number, or the body HTML.
 */
function classify(response: ProviderResponse): ProviderError {
  const body = parseResponseObject(response) ?? {};
  const { code, type } = asRecord(body.error);
  const kind = KIND_BY_CODE[String(code)] ?? KIND_BY_CODE[String(type)] ?? classifyStatus(response.status);
  return new ProviderError('openai', kind, { detail: readErrorMessage(body) });
}

/** Returns the message of an error of OpenAI, of httplib (`error`, `message`), or of FastAPI (`detail`). */
function readErrorMessage({ error, message, detail }: JsonRecord): string | undefined {
  const [invalid] = asArray(detail).map(asRecord);
  const { loc, msg } = invalid ?? {};
  const field = asArray(loc)
    .filter(part => typeof part === 'string')
    .slice(1)
    .join('.');
  return (
    asNonEmptyText(asRecord(error).message) ??
    asNonEmptyText(message) ??
    asNonEmptyText(error) ??
    asNonEmptyText(asRecord(detail).message) ??
    asNonEmptyText(detail) ??
    asNonEmptyText([field, asNonEmptyText(msg)].filter(part => part !== '' && part !== undefined).join(': '))
  );
}

function createBadOutputError(detail: string): ProviderError {
  return new ProviderError('openai', 'bad_output', { detail });
}
