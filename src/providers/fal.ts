// Implements the protocol of fal's queue: submit, poll the status, fetch the result.
// https://fal.ai/docs/api-reference/inference-api

import { isRecord } from '../lib/record.ts';
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
  replaceAttachments,
  SUBMIT_TIMEOUT_MS,
  type Submission,
  toDataUri,
} from './provider.ts';
import { classifyStatus, ProviderError, type ProviderErrorKind } from './provider-error.ts';
import {
  asArray,
  asCount,
  asId,
  asNonEmptyText,
  asRecord,
  asSeed,
  asUrl,
  type JsonRecord,
  type ProviderResponse,
  parseResponseObject,
  readDataUri,
} from './response.ts';

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

// Larger data URIs make the request slow and may exceed the queue's limit.
const MAX_DATA_URI_BYTES = 262_144;
const MAX_UPLOAD_BYTES = 94_371_840;
const QUEUE_URL = 'https://queue.fal.run';
const STORAGE_URL = 'https://rest.fal.ai';

export function createFalProvider(endpoint: Endpoint): Provider<FalCall> {
  return {
    name: 'fal',
    pace: DEFAULT_PACE,
    getModel: ({ model }) => model,
    classify,
    submit: (call, _chosenId, callbackUrl) => submit(endpoint, call, callbackUrl),
    tasks: {
      poll: (handle, call) => poll(endpoint, handle, call),
      cancel: handle => cancel(endpoint, handle),
    },
  };
}

function* submit(endpoint: Endpoint, { model, input }: FalCall, callbackUrl?: string): Protocol<Submission> {
  const body = yield* replaceAttachments(input, file => sendFile(endpoint, file));
  const response = yield {
    ...toRequest(
      endpoint,
      'POST',
      `${endpoint.baseUrl}/${model}${callbackUrl === undefined ? '' : `?fal_webhook=${encodeURIComponent(callbackUrl)}`}`,
    ),
    body: JSON.stringify(body),
    timeoutMs: SUBMIT_TIMEOUT_MS,
    role: 'submits',
  };
  if (response.status !== 200) throw classify(response);
  const { request_id, status_url, response_url, cancel_url } = asRecord(parseResponseObject(response));
  const id = asId(request_id);
  const paths = [status_url, response_url, cancel_url].map(url => toRelativePath(endpoint, url));
  if (id === undefined || paths.includes(undefined)) {
    throw new ProviderError('fal', 'outcome_unknown', { detail: 'the response contains no request id' });
  }
  return { handle: { id, state: paths.join(' ') } };
}

function* poll(endpoint: Endpoint, handle: Handle, call: FalCall): Protocol<Poll> {
  const result = yield* fetchResult(endpoint, handle);
  if (result === 'running') return { isRunning: true };
  if (result === 'gone') throw createLostError();
  if (result.status !== 200) throw classify(result);
  return { output: { ...readOutput(parseResponseObject(result) ?? {}, call), ...readUsage(result) } };
}

/** Returns the result of the request, `running`, or `gone` if fal does not know the request or has deleted its result. */
function* fetchResult(endpoint: Endpoint, handle: Handle): Protocol<ProviderResponse | 'running' | 'gone'> {
  const { statusUrl, resultUrl } = toTaskUrls(endpoint, handle);
  const status = yield toRequest(endpoint, 'GET', statusUrl);
  if (status.status === 202) return 'running';
  if (status.status === 404) return 'gone';
  if (status.status !== 200) throw classify(status);
  if (parseResponseObject(status)?.status !== 'COMPLETED') return 'running';
  // COMPLETED means only that the work ended. The status of the result says whether it succeeded.
  const result = yield { ...toRequest(endpoint, 'GET', resultUrl), role: 'fetches', maxBytes: 67_108_864 };
  if (result.status === 404 || result.status === 410) return 'gone';
  const isUnfinished = result.status === 400 && /still in progress/i.test(result.body.toString('utf8'));
  return result.status === 202 || isUnfinished ? 'running' : result;
}

function readUsage({ headers }: ProviderResponse): { readonly usage?: unknown } {
  const units = asCount(headers['x-fal-billable-units']);
  return units === undefined ? {} : { usage: { billable_units: units } };
}

/**
 * Cancels a request. fal removes a waiting request, but the app may ignore the cancellation of a running one, so the
 * result is checked.
 */
function* cancel(endpoint: Endpoint, handle: Handle): Protocol<Cancellation> {
  yield toRequest(endpoint, 'PUT', toTaskUrls(endpoint, handle).cancelUrl);
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
  const initiateUrl = `${getStorageUrl(endpoint)}/storage/upload/initiate?storage_type=fal-cdn-v3`;
  const initiated = yield {
    ...toRequest(endpoint, 'POST', initiateUrl),
    body: JSON.stringify({ content_type: file.contentType, file_name: file.name }),
  };
  if (initiated.status !== 200) throw classify(initiated);
  const { file_url, upload_url } = asRecord(parseResponseObject(initiated));
  const [url, target] = [asUrl(file_url), asUrl(upload_url)];
  if (url === undefined || target === undefined) {
    throw new ProviderError('fal', 'unavailable', { detail: 'the upload has no URL' });
  }
  // The URL is signed. The API key must only be sent to the API.
  const headers = { 'content-type': file.contentType };
  const uploaded = yield { method: 'PUT', url: target, headers, body: file.bytes, timeoutMs: 120_000 };
  if (uploaded.status < 200 || uploaded.status > 299) throw classify(uploaded);
  return url;
}

/**
 * Returns the URL of fal's storage, which has its own host. A proxy or test double serves the storage at the configured
 * base URL.
 */
function getStorageUrl({ baseUrl }: Endpoint): string {
  return baseUrl === QUEUE_URL ? STORAGE_URL : baseUrl;
}

/**
 * Returns the URL's path relative to the configured base. With a proxy, fal's responses contain fal's own host, but
 * requests with the key must go to the configured one.
 */
function toRelativePath({ baseUrl }: Endpoint, value: unknown): string | undefined {
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

function toTaskUrls({ baseUrl }: Endpoint, { state = '' }: Handle): TaskUrls {
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
    const chunks = chunksPath === undefined ? undefined : getAtPath(result, chunksPath);
    return { files: [], text: asNonEmptyText(getAtPath(result, path ?? 'output')) ?? '', chunks };
  }
  const values = path === undefined ? Object.values(result) : [getAtPath(result, path)];
  // A plain string is treated as a URL only at the configured path.
  const toFileObject = (value: unknown): unknown =>
    path !== undefined && typeof value === 'string' ? { url: value } : value;
  const files = values.flat().flatMap(value => toFile(toFileObject(value)) ?? []);
  return { files, seed: asSeed(result.seed) };
}

function getAtPath(result: JsonRecord, path: string): unknown {
  const readSegment = (value: unknown, name: string): unknown =>
    isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return path.split('.').reduce(readSegment, result as unknown);
}

function toFile(value: unknown): FileSource | undefined {
  if (!isRecord(value) || typeof value.url !== 'string') return undefined;
  const url = asUrl(value.url);
  return url === undefined ? readDataUri(value.url) : { method: 'GET', url };
}

const KIND_BY_ERROR_TYPE: Readonly<Record<string, ProviderErrorKind>> = {
  client_cancelled: 'cancelled',
  request_timeout: 'timeout',
  startup_timeout: 'timeout',
  runner_scheduling_failure: 'unavailable',
  runner_connection_timeout: 'unavailable',
  runner_disconnected: 'unavailable',
  runner_connection_refused: 'unavailable',
};

function classify(response: ProviderResponse): ProviderError {
  const { detail, error_type } = asRecord(parseResponseObject(response));
  const [firstDetail] = asArray(detail).map(asRecord);
  const message = typeof detail === 'string' ? detail : asNonEmptyText(firstDetail?.msg);
  const errorType = response.headers['x-fal-error-type'] ?? asNonEmptyText(error_type) ?? '';
  const kind = toErrorKind(
    response.status,
    errorType,
    asNonEmptyText(firstDetail?.type) ?? '',
    message ?? '',
  );
  // Users know the fields of their node, not the body of our request.
  const path = asArray(firstDetail?.loc)
    .filter((part, index) => index > 0 || part !== 'body')
    .join('.');
  return new ProviderError('fal', kind, { detail: path === '' ? message : `${path}: ${message ?? ''}` });
}

function toErrorKind(
  status: number,
  errorType: string,
  detailType: string,
  message: string,
): ProviderErrorKind {
  if (/content_policy|nsfw|safety/i.test(detailType)) return 'content_policy';
  // 499 means that the request was cancelled.
  if (status === 499) return 'cancelled';
  if (status === 403 && /balance|locked|credit/i.test(message)) return 'insufficient_funds';
  return KIND_BY_ERROR_TYPE[errorType] ?? (status === 500 ? 'failed' : classifyStatus(status));
}

function createLostError(): ProviderError {
  return new ProviderError('fal', 'lost', {
    detail: 'results are kept for an hour, or for six minutes if they are 10 KB or larger',
  });
}
