// Implements the protocol of fal's queue: submit, poll the status, fetch the result.
// https://fal.ai/docs/api-reference/inference-api

import { isRecord } from '../lib/record.ts';
import {
  asArray,
  asCount,
  asId,
  asRecord,
  asText,
  asUrl,
  type JsonRecord,
  type ProviderAnswer,
  readDataUri,
  readObject,
} from './answer.ts';
import { replaceAttachments, toDataUri } from './attachments.ts';
import {
  type Attachment,
  type Cancellation,
  DEFAULT_PACE,
  type Endpoint,
  type FileSource,
  type Handle,
  type Output,
  type Poll,
  type Protocol,
  type Provider,
  type ProviderRequest,
  SUBMIT_TIMEOUT_MS,
  type Submission,
} from './provider.ts';
import { kindOfStatus, ProviderError, type ProviderErrorKind } from './provider-error.ts';

export interface FalCall {
  /** Owner, app and path, for example `fal-ai/flux-1/dev`. */
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default: files. */
  readonly expects?: 'files' | 'text';
  /**
   * The dotted path of the output in the result. By default, every value with a URL is a file, and `output` is the
   * text.
   */
  readonly path?: string | undefined;
  /** The dotted path of the timed chunks of a transcription. */
  readonly chunksPath?: string | undefined;
}

// Larger data URIs make the request slow, and soon exceed the queue's limit.
const MAX_DATA_URI_BYTES = 262_144;
const MAX_UPLOAD_BYTES = 94_371_840;
const QUEUE_URL = 'https://queue.fal.run';
const STORAGE_URL = 'https://rest.fal.ai';

export function fal(endpoint: Endpoint): Provider<FalCall> {
  return {
    name: 'fal',
    pace: DEFAULT_PACE,
    modelOf: ({ model }) => model,
    classify,
    submit: (call, _ourId, hookUrl) => submit(endpoint, call, hookUrl),
    tasks: {
      poll: (handle, call) => poll(endpoint, handle, call),
      cancel: handle => cancel(endpoint, handle),
    },
  };
}

function* submit(endpoint: Endpoint, { model, input }: FalCall, hookUrl?: string): Protocol<Submission> {
  const sent = yield* replaceAttachments(input, file => sendFile(endpoint, file));
  const answer = yield {
    ...toRequest(
      endpoint,
      'POST',
      `${endpoint.baseUrl}/${model}${hookUrl === undefined ? '' : `?fal_webhook=${encodeURIComponent(hookUrl)}`}`,
    ),
    body: JSON.stringify(sent),
    timeoutMs: SUBMIT_TIMEOUT_MS,
    role: 'submits',
  };
  if (answer.status !== 200) throw classify(answer);
  const { request_id, status_url, response_url, cancel_url } = asRecord(readObject(answer));
  const id = asId(request_id);
  const paths = [status_url, response_url, cancel_url].map(url => relativeTo(endpoint, url));
  if (id === undefined || paths.includes(undefined)) {
    throw new ProviderError('fal', 'outcome_unknown', { detail: 'the answer contains no request id' });
  }
  return { handle: { id, state: paths.join(' ') } };
}

function* poll(endpoint: Endpoint, handle: Handle, call: FalCall): Protocol<Poll> {
  const result = yield* fetchResult(endpoint, handle);
  if (result === 'running') return { isRunning: true };
  if (result === 'gone') throw gone();
  if (result.status !== 200) throw classify(result);
  return { output: { ...readOutput(readObject(result) ?? {}, call), ...readUsage(result) } };
}

/** Returns the request's result, or its state. `gone`: fal does not know the request or has deleted its result. */
function* fetchResult(endpoint: Endpoint, handle: Handle): Protocol<ProviderAnswer | 'running' | 'gone'> {
  const { statusUrl, resultUrl } = urlsOf(endpoint, handle);
  const status = yield toRequest(endpoint, 'GET', statusUrl);
  if (status.status === 202) return 'running';
  if (status.status === 404) return 'gone';
  if (status.status !== 200) throw classify(status);
  if (readObject(status)?.status !== 'COMPLETED') return 'running';
  // COMPLETED means only that the work ended; the result carries the model's own status.
  const result = yield { ...toRequest(endpoint, 'GET', resultUrl), role: 'fetches', maxBytes: 67_108_864 };
  if (result.status === 404 || result.status === 410) return 'gone';
  const isEarly = result.status === 400 && /still in progress/i.test(result.body.toString('utf8'));
  return result.status === 202 || isEarly ? 'running' : result;
}

function readUsage({ headers }: ProviderAnswer): { readonly usage?: unknown } {
  const units = asCount(headers['x-fal-billable-units']);
  return units === undefined ? {} : { usage: { billable_units: units } };
}

/**
 * Cancels a request. fal removes a waiting request; a running one gets a signal that its app may ignore, so the result
 * is checked.
 */
function* cancel(endpoint: Endpoint, handle: Handle): Protocol<Cancellation> {
  yield toRequest(endpoint, 'PUT', urlsOf(endpoint, handle).cancelUrl);
  const result = yield* fetchResult(endpoint, handle);
  if (result === 'running') return { kind: 'running' };
  if (result === 'gone' || result.status !== 200) return { kind: 'cancelled' };
  return { kind: 'billed', ...readUsage(result) };
}

function toRequest({ key }: Endpoint, method: ProviderRequest['method'], url: string): ProviderRequest {
  return { method, url, headers: { authorization: `Key ${key}`, 'content-type': 'application/json' } };
}

/** Returns a small file as a data URI, and uploads a larger one to fal's storage and returns its URL. */
function* sendFile(endpoint: Endpoint, file: Attachment): Protocol<string> {
  if (file.bytes.length <= MAX_DATA_URI_BYTES) return toDataUri(file);
  if (file.bytes.length > MAX_UPLOAD_BYTES) {
    throw new ProviderError('fal', 'invalid_input', { detail: `${file.name} is larger than 90 MB` });
  }
  const address = `${storageUrl(endpoint)}/storage/upload/initiate?storage_type=fal-cdn-v3`;
  const started = yield {
    ...toRequest(endpoint, 'POST', address),
    body: JSON.stringify({ content_type: file.contentType, file_name: file.name }),
  };
  if (started.status !== 200) throw classify(started);
  const { file_url, upload_url } = asRecord(readObject(started));
  const [url, target] = [asUrl(file_url), asUrl(upload_url)];
  if (url === undefined || target === undefined) {
    throw new ProviderError('fal', 'unavailable', { detail: 'the upload has no URL' });
  }
  // The URL is signed. The key must go to the API only.
  const headers = { 'content-type': file.contentType };
  const stored = yield { method: 'PUT', url: target, headers, body: file.bytes, timeoutMs: 120_000 };
  if (stored.status < 200 || stored.status > 299) throw classify(stored);
  return url;
}

/** fal's storage has its own host. Behind a proxy or a test double, it is below the configured base URL. */
function storageUrl({ baseUrl }: Endpoint): string {
  return baseUrl === QUEUE_URL ? STORAGE_URL : baseUrl;
}

/**
 * Returns the URL's path relative to the configured base. Behind a proxy, fal's answers name fal's own host, but the
 * key must go to the configured one.
 */
function relativeTo({ baseUrl }: Endpoint, value: unknown): string | undefined {
  const url = asUrl(value);
  if (url === undefined) return undefined;
  if (url.startsWith(`${baseUrl}/`)) return url.slice(baseUrl.length);
  const { pathname, search } = new URL(url);
  return pathname + search;
}

interface TaskUrls {
  readonly statusUrl: string;
  readonly resultUrl: string;
  readonly cancelUrl: string;
}

function urlsOf({ baseUrl }: Endpoint, { state = '' }: Handle): TaskUrls {
  const [status = '', result = '', cancel = ''] = state.split(' ');
  return { statusUrl: baseUrl + status, resultUrl: baseUrl + result, cancelUrl: baseUrl + cancel };
}

/** Collects every value with a URL: `images[]`, `image`, `video`, `audio` or `audio_file`, depending on the model. */
function readOutput(result: JsonRecord, { expects, path, chunksPath }: FalCall): Output {
  const flags = asArray(result.has_nsfw_concepts);
  if (flags.length > 0 && flags.every(flag => flag === true)) {
    throw new ProviderError('fal', 'content_policy', { detail: 'the safety checker removed the result' });
  }
  if (expects === 'text') {
    const chunks = chunksPath === undefined ? undefined : findAt(result, chunksPath);
    return { files: [], text: asText(findAt(result, path ?? 'output')) ?? '', chunks };
  }
  const found = path === undefined ? Object.values(result) : [findAt(result, path)];
  // A plain string counts as a URL only at the path that was configured.
  const asFile = (value: unknown): unknown =>
    path !== undefined && typeof value === 'string' ? { url: value } : value;
  return { files: found.flat().flatMap(value => toFile(asFile(value)) ?? []) };
}

function findAt(result: JsonRecord, path: string): unknown {
  const step = (value: unknown, name: string): unknown =>
    isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return path.split('.').reduce(step, result as unknown);
}

function toFile(value: unknown): FileSource | undefined {
  if (!isRecord(value) || typeof value.url !== 'string') return undefined;
  const url = asUrl(value.url);
  return url === undefined ? readDataUri(value.url) : { method: 'GET', url };
}

const BY_ERROR_TYPE: Readonly<Record<string, ProviderErrorKind>> = {
  client_cancelled: 'cancelled',
  request_timeout: 'timeout',
  startup_timeout: 'timeout',
  runner_scheduling_failure: 'unavailable',
  runner_connection_timeout: 'unavailable',
  runner_disconnected: 'unavailable',
  runner_connection_refused: 'unavailable',
};

function classify(answer: ProviderAnswer): ProviderError {
  const { detail, error_type } = asRecord(readObject(answer));
  const [first] = asArray(detail).map(asRecord);
  const words = typeof detail === 'string' ? detail : asText(first?.msg);
  const errorType = answer.headers['x-fal-error-type'] ?? asText(error_type) ?? '';
  const kind = kindOf(answer.status, errorType, asText(first?.type) ?? '', words ?? '');
  const path = asArray(first?.loc).join('.');
  return new ProviderError('fal', kind, { detail: path === '' ? words : `${path}: ${words ?? ''}` });
}

function kindOf(status: number, errorType: string, detailType: string, words: string): ProviderErrorKind {
  if (/content_policy|nsfw|safety/i.test(detailType)) return 'content_policy';
  // 499 means that the client closed the request: here, that it was cancelled.
  if (status === 499) return 'cancelled';
  if (status === 403 && /balance|locked|credit/i.test(words)) return 'insufficient_funds';
  return BY_ERROR_TYPE[errorType] ?? (status === 500 ? 'failed' : kindOfStatus(status));
}

function gone(): ProviderError {
  return new ProviderError('fal', 'lost', {
    detail: 'results are kept for an hour, or for six minutes if they are 10 KB or larger',
  });
}
