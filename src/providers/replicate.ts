// Implements the protocol of Replicate: creates a prediction and polls it until it ends.
// https://replicate.com/docs/reference/http

import { encodeForm } from './multipart.ts';
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
  type ProviderResponse,
  parseResponseObject,
  readDataUri,
} from './response.ts';

export interface ReplicateCall {
  /** `owner/name` of an official model, or `owner/name:version` of any other. */
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expects: 'files' | 'text';
}

const MAX_DATA_URI_BYTES = 262_144;
const MAX_UPLOAD_BYTES = 104_857_600;
// The maximum that Replicate allows. It limits the cost of a prediction that is no longer polled.
const CANCEL_AFTER = '30m';

export function createReplicateProvider(endpoint: Endpoint): Provider<ReplicateCall> {
  return {
    name: 'replicate',
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

function* submit(
  endpoint: Endpoint,
  { model, input }: ReplicateCall,
  callbackUrl?: string,
): Protocol<Submission> {
  const requestInput = yield* replaceAttachments(input, file => sendFile(endpoint, file));
  const [name = '', version] = model.split(':');
  const path = version === undefined ? `/models/${name}/predictions` : '/predictions';
  const response = yield {
    ...toRequest(endpoint, 'POST', path),
    headers: { ...toHeaders(endpoint), 'content-type': 'application/json', 'cancel-after': CANCEL_AFTER },
    body: JSON.stringify({
      ...(version === undefined ? {} : { version }),
      input: requestInput,
      ...toCallbackFields(callbackUrl),
    }),
    timeoutMs: SUBMIT_TIMEOUT_MS,
    role: 'submits',
  };
  if (response.status < 200 || response.status > 299) throw classify(response);
  const id = asId(parseResponseObject(response)?.id);
  if (id !== undefined) return { handle: { id } };
  throw new ProviderError('replicate', 'outcome_unknown', {
    detail: 'the response contains no prediction id',
  });
}

/** Returns a small file as a data URI, and uploads a larger one and returns its URL. */
function* sendFile(endpoint: Endpoint, file: Attachment): Protocol<string> {
  return file.bytes.length > MAX_DATA_URI_BYTES ? yield* uploadFile(endpoint, file) : toDataUri(file);
}

function* uploadFile(endpoint: Endpoint, file: Attachment): Protocol<string> {
  if (file.bytes.length > MAX_UPLOAD_BYTES) {
    throw new ProviderError('replicate', 'invalid_input', { detail: `${file.name} is larger than 100 MB` });
  }
  const { contentType, body } = encodeForm([['content', file]]);
  const response = yield {
    ...toRequest(endpoint, 'POST', '/files'),
    headers: { ...toHeaders(endpoint), 'content-type': contentType },
    body,
    timeoutMs: 120_000,
  };
  if (response.status < 200 || response.status > 299) throw classify(response);
  const url = asUrl(asRecord(parseResponseObject(response)?.urls).get);
  if (url !== undefined) return url;
  throw new ProviderError('replicate', 'unavailable', { detail: 'the upload has no URL' });
}

/** Returns the fields that request a webhook when the prediction ends. */
function toCallbackFields(webhook: string | undefined): object {
  return webhook === undefined ? {} : { webhook, webhook_events_filter: ['completed'] };
}

function* poll(endpoint: Endpoint, { id }: Handle, call: ReplicateCall): Protocol<Poll> {
  const response = yield toRequest(endpoint, 'GET', `/predictions/${id}`);
  if (response.status === 404) throw new ProviderError('replicate', 'lost');
  if (response.status !== 200) throw classify(response);
  const { status, error, output, logs, data_removed, metrics } = asRecord(parseResponseObject(response));
  if (status === 'starting' || status === 'processing') return { isRunning: true, ...readProgress(logs) };
  if (status === 'succeeded') {
    if (data_removed === true)
      throw new ProviderError('replicate', 'lost', { detail: 'results are kept for an hour' });
    return {
      output: { ...readOutput(endpoint, output, call.expects), usage: metrics, seed: readSeed(logs) },
    };
  }
  throw toEndError(status, asNonEmptyText(error) ?? '');
}

/** Cancels a prediction. A prediction that has started is billed for the time it ran. */
function* cancel(endpoint: Endpoint, { id }: Handle): Protocol<Cancellation> {
  const cancelled = yield toRequest(endpoint, 'POST', `/predictions/${id}/cancel`);
  const response =
    cancelled.status === 200 ? cancelled : yield toRequest(endpoint, 'GET', `/predictions/${id}`);
  if (response.status === 404) return { kind: 'cancelled' };
  if (response.status !== 200) throw classify(response);
  const { status, metrics } = asRecord(parseResponseObject(response));
  if (status === 'starting' || status === 'processing') return { kind: 'running' };
  const hasRun = status === 'canceled' && (asCount(asRecord(metrics).predict_time) ?? 0) > 0;
  return status === 'succeeded' || hasRun ? { kind: 'billed', usage: metrics } : { kind: 'cancelled' };
}

function toHeaders({ key }: Endpoint): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function toRequest(endpoint: Endpoint, method: ProviderRequest['method'], path: string): ProviderRequest {
  return { method, url: endpoint.baseUrl + path, headers: toHeaders(endpoint) };
}

/** Reads the progress from the logs, to which many models print a progress bar. */
function readProgress(logs: unknown): { readonly fraction?: number } {
  const percent = [...(asNonEmptyText(logs)?.slice(-4000) ?? '').matchAll(/^\s*(\d{1,3})%\s*\|/gm)].at(
    -1,
  )?.[1];
  return percent === undefined ? {} : { fraction: Math.min(1, Number(percent) / 100) };
}

/** Reads the seed from the logs, to which most models print it when they choose it. */
const readSeed = (logs: unknown): number | undefined =>
  asSeed(
    Number(/^.{0,40}\bseed\b\W{0,3}(\d{1,16})\b/im.exec(asNonEmptyText(logs)?.slice(0, 4000) ?? '')?.[1]),
  );

/** Reads the output: a list of text fragments for language models, otherwise a URL or a list of URLs. */
function readOutput(endpoint: Endpoint, output: unknown, expects: ReplicateCall['expects']): Output {
  const pieces = asArray(Array.isArray(output) ? output : [output]);
  if (expects === 'text')
    return { files: [], text: pieces.filter(piece => typeof piece === 'string').join('') };
  return { files: pieces.flatMap(piece => toFile(endpoint, piece) ?? []) };
}

function toFile(endpoint: Endpoint, piece: unknown): FileSource | undefined {
  const url = asUrl(piece);
  if (url === undefined) return typeof piece === 'string' ? readDataUri(piece) : undefined;
  // The key is sent only for files on the API's own host, which require it.
  const isApiHost = new URL(url).origin === new URL(endpoint.baseUrl).origin;
  return { method: 'GET', url, ...(isApiHost ? { headers: toHeaders(endpoint) } : {}) };
}

const KIND_BY_END_STATUS: Readonly<Record<string, ProviderErrorKind>> = {
  canceled: 'cancelled',
  aborted: 'timeout',
};

function toEndError(status: unknown, error: string): ProviderError {
  const endKind = KIND_BY_END_STATUS[String(status)];
  if (endKind !== undefined) {
    const detail = endKind === 'timeout' ? 'the prediction did not start in time' : error;
    return new ProviderError('replicate', endKind, { detail });
  }
  if (status !== 'failed') {
    return new ProviderError('replicate', 'bad_output', { detail: `unknown status ${String(status)}` });
  }
  // Codes such as E1000 denote failures of the platform.
  const kind = /\bE\d{4}\b/.test(error)
    ? 'unavailable'
    : /nsfw|sensitive|safety|flagged/i.test(error)
      ? 'content_policy'
      : 'failed';
  return new ProviderError('replicate', kind, { detail: error });
}

function classify(response: ProviderResponse): ProviderError {
  const { detail, title, invalid_fields } = asRecord(parseResponseObject(response));
  const message = asNonEmptyText(detail) ?? asNonEmptyText(title);
  const [field] = asArray(invalid_fields).map(asRecord);
  const resetS = /resets in ~?(\d+)s/.exec(message ?? '')?.[1];
  return new ProviderError('replicate', classifyStatus(response.status), {
    detail: asNonEmptyText(field?.description) ?? message,
    retryAfterMs:
      response.headers['retry-after'] === undefined && resetS !== undefined
        ? Number(resetS) * 1000
        : undefined,
  });
}
