// Implements the protocol of Replicate's predictions: create one, then poll it until it ends.
// https://replicate.com/docs/reference/http

import {
  asArray,
  asCount,
  asId,
  asRecord,
  asText,
  asUrl,
  type ProviderAnswer,
  readDataUri,
  readObject,
} from './answer.ts';
import { replaceAttachments, toDataUri } from './attachments.ts';
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
  SUBMIT_TIMEOUT_MS,
  type Submission,
} from './provider.ts';
import { kindOfStatus, ProviderError, type ProviderErrorKind } from './provider-error.ts';

export interface ReplicateCall {
  /** Owner and name of an official model; for other models also the version: `owner/name:id`. */
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expects: 'files' | 'text';
}

const MAX_DATA_URI_BYTES = 262_144;
const MAX_UPLOAD_BYTES = 104_857_600;
// The maximum that Replicate allows. It limits the cost of a prediction that is no longer polled.
const LIFETIME = '30m';

export function replicate(endpoint: Endpoint): Provider<ReplicateCall> {
  return {
    name: 'replicate',
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

function* submit(
  endpoint: Endpoint,
  { model, input }: ReplicateCall,
  hookUrl?: string,
): Protocol<Submission> {
  const sent = yield* replaceAttachments(input, file => sendFile(endpoint, file));
  const [name = '', version] = model.split(':');
  const path = version === undefined ? `/models/${name}/predictions` : '/predictions';
  const answer = yield {
    ...toRequest(endpoint, 'POST', path),
    headers: { ...headersOf(endpoint), 'content-type': 'application/json', 'cancel-after': LIFETIME },
    body: JSON.stringify({ ...(version === undefined ? {} : { version }), input: sent, ...hookOf(hookUrl) }),
    timeoutMs: SUBMIT_TIMEOUT_MS,
    role: 'submits',
  };
  if (answer.status < 200 || answer.status > 299) throw classify(answer);
  const id = asId(readObject(answer)?.id);
  if (id !== undefined) return { handle: { id } };
  throw new ProviderError('replicate', 'outcome_unknown', { detail: 'the answer contains no prediction id' });
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
  const answer = yield {
    ...toRequest(endpoint, 'POST', '/files'),
    headers: { ...headersOf(endpoint), 'content-type': contentType },
    body,
    timeoutMs: 120_000,
  };
  if (answer.status < 200 || answer.status > 299) throw classify(answer);
  const url = asUrl(asRecord(readObject(answer)?.urls).get);
  if (url !== undefined) return url;
  throw new ProviderError('replicate', 'unavailable', { detail: 'the upload has no URL' });
}

/** Subscribes to the end of the prediction only. */
function hookOf(webhook: string | undefined): object {
  return webhook === undefined ? {} : { webhook, webhook_events_filter: ['completed'] };
}

function* poll(endpoint: Endpoint, { id }: Handle, call: ReplicateCall): Protocol<Poll> {
  const answer = yield toRequest(endpoint, 'GET', `/predictions/${id}`);
  if (answer.status === 404) throw new ProviderError('replicate', 'lost');
  if (answer.status !== 200) throw classify(answer);
  const { status, error, output, logs, data_removed, metrics } = asRecord(readObject(answer));
  if (status === 'starting' || status === 'processing') return { isRunning: true, ...readProgress(logs) };
  if (status === 'succeeded') {
    if (data_removed === true)
      throw new ProviderError('replicate', 'lost', { detail: 'results are kept for an hour' });
    return { output: { ...readOutput(endpoint, output, call.expects), usage: metrics } };
  }
  throw explainEnd(status, asText(error) ?? '');
}

/** Cancels a prediction. One that had started is billed for the time it ran, even if it was stopped. */
function* cancel(endpoint: Endpoint, { id }: Handle): Protocol<Cancellation> {
  const stopped = yield toRequest(endpoint, 'POST', `/predictions/${id}/cancel`);
  const answer = stopped.status === 200 ? stopped : yield toRequest(endpoint, 'GET', `/predictions/${id}`);
  if (answer.status === 404) return { kind: 'cancelled' };
  if (answer.status !== 200) throw classify(answer);
  const { status, metrics } = asRecord(readObject(answer));
  if (status === 'starting' || status === 'processing') return { kind: 'running' };
  const hasRun = status === 'canceled' && (asCount(asRecord(metrics).predict_time) ?? 0) > 0;
  return status === 'succeeded' || hasRun ? { kind: 'billed', usage: metrics } : { kind: 'cancelled' };
}

function headersOf({ key }: Endpoint): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function toRequest(endpoint: Endpoint, method: ProviderRequest['method'], path: string): ProviderRequest {
  return { method, url: endpoint.baseUrl + path, headers: headersOf(endpoint) };
}

/** Many models print a progress bar to their logs; the last one is current. */
function readProgress(logs: unknown): { readonly fraction?: number } {
  const percent = [...(asText(logs)?.slice(-4000) ?? '').matchAll(/^\s*(\d{1,3})%\s*\|/gm)].at(-1)?.[1];
  return percent === undefined ? {} : { fraction: Math.min(1, Number(percent) / 100) };
}

/** A language model's output is a list of text fragments; any other model's is a URL or a list of URLs. */
function readOutput(endpoint: Endpoint, output: unknown, expects: ReplicateCall['expects']): Output {
  const pieces = asArray(Array.isArray(output) ? output : [output]);
  if (expects === 'text')
    return { files: [], text: pieces.filter(piece => typeof piece === 'string').join('') };
  return { files: pieces.flatMap(piece => toFile(endpoint, piece) ?? []) };
}

function toFile(endpoint: Endpoint, piece: unknown): FileSource | undefined {
  const url = asUrl(piece);
  if (url === undefined) return typeof piece === 'string' ? readDataUri(piece) : undefined;
  // Only files on the API's own host need the key, and no other host may receive it.
  const isOurs = new URL(url).origin === new URL(endpoint.baseUrl).origin;
  return { method: 'GET', url, ...(isOurs ? { headers: headersOf(endpoint) } : {}) };
}

const ENDINGS: Readonly<Record<string, ProviderErrorKind>> = { canceled: 'cancelled', aborted: 'timeout' };

function explainEnd(status: unknown, error: string): ProviderError {
  const ending = ENDINGS[String(status)];
  if (ending !== undefined) {
    const detail = ending === 'timeout' ? 'the prediction did not start in time' : error;
    return new ProviderError('replicate', ending, { detail });
  }
  if (status !== 'failed') {
    return new ProviderError('replicate', 'bad_output', { detail: `unknown status ${String(status)}` });
  }
  // Codes such as E1000 are failures of the platform, not of the model.
  const kind = /\bE\d{4}\b/.test(error)
    ? 'unavailable'
    : /nsfw|sensitive|safety|flagged/i.test(error)
      ? 'content_policy'
      : 'failed';
  return new ProviderError('replicate', kind, { detail: error });
}

function classify(answer: ProviderAnswer): ProviderError {
  const { detail, title, invalid_fields } = asRecord(readObject(answer));
  const words = asText(detail) ?? asText(title);
  const [field] = asArray(invalid_fields).map(asRecord);
  const resetS = /resets in ~?(\d+)s/.exec(words ?? '')?.[1];
  return new ProviderError('replicate', kindOfStatus(answer.status), {
    detail: asText(field?.description) ?? words,
    retryAfterMs:
      answer.headers['retry-after'] === undefined && resetS !== undefined ? Number(resetS) * 1000 : undefined,
  });
}
