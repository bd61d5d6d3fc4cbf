// Implements the protocol of a ComfyUI server: queues a graph under an id of ours and reads the result from the
// server's history. https://docs.comfy.org/development/comfyui-server/comms_routes

import { asArray, asRecord, asText, type JsonRecord, type ProviderAnswer, readObject } from './answer.ts';
import { encodeForm } from './multipart.ts';
import {
  Attachment,
  type Cancellation,
  DEFAULT_PACE,
  type Endpoint,
  type Handle,
  type Output,
  type Poll,
  type Protocol,
  type Provider,
  type ProviderRequest,
  type Submission,
} from './provider.ts';
import { kindOfStatus, ProviderError } from './provider-error.ts';

export interface ComfyCall {
  /** In ComfyUI's API format: node id → `class_type` and `inputs`. An input may be an attachment. */
  readonly graph: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

export function comfyui(endpoint: Endpoint): Provider<ComfyCall> {
  return {
    name: 'comfyui',
    pace: { ...DEFAULT_PACE, maxMs: 2_000 },
    classify,
    submit: (call, ourId) => submit(endpoint, call, ourId),
    tasks: {
      poll: handle => poll(endpoint, handle),
      cancel: handle => cancel(endpoint, handle),
      takesOurIds: true,
    },
  };
}

function* submit(endpoint: Endpoint, { graph }: ComfyCall, ourId: string): Protocol<Submission> {
  const prompt = yield* upload(endpoint, graph, ourId);
  const answer = yield {
    ...toRequest(endpoint, '/prompt', JSON.stringify(toPrompt(endpoint, prompt, ourId))),
    role: 'submits',
  };
  if (answer.status !== 200) throw classify(answer);
  const reply = readObject(answer) ?? {};
  // Older servers ignore our id and choose one.
  const handle = { id: asText(reply.prompt_id) ?? ourId };
  const problem = describeNodeErrors(reply.node_errors);
  if (problem === undefined) return { handle };
  // 200 with node_errors: the server runs only the valid outputs, which is not what the user asked for.
  yield* cancel(endpoint, handle);
  throw new ProviderError('comfyui', 'invalid_input', { detail: problem });
}

/** Always sends a client id: without one, servers from before 2026 omit cached nodes from the history. */
function toPrompt({ partnerKey }: Endpoint, prompt: unknown, ourId: string): JsonRecord {
  const extra_data = { api_key_comfy_org: partnerKey };
  return { prompt, prompt_id: ourId, client_id: ourId, ...(partnerKey === undefined ? {} : { extra_data }) };
}

/** Returns the graph with each attachment uploaded and replaced by the name of its file. */
function* upload(endpoint: Endpoint, graph: ComfyCall['graph'], ourId: string): Protocol<unknown> {
  const sent: Record<string, unknown> = Object.create(null);
  for (const [id, node] of Object.entries(graph)) {
    const inputs: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(node.inputs)) {
      inputs[name] = value instanceof Attachment ? yield* uploadFile(endpoint, value, ourId) : value;
    }
    sent[id] = { ...node, inputs };
  }
  return sent;
}

function* uploadFile(endpoint: Endpoint, file: Attachment, ourId: string): Protocol<string> {
  const named = new Attachment(file.bytes, file.contentType, `${ourId}-${file.name}`);
  const { contentType, body } = encodeForm([
    ['image', named],
    ['type', 'input'],
    ['subfolder', 'graphwright'],
    ['overwrite', 'true'],
  ]);
  const answer = yield {
    ...toRequest(endpoint, '/upload/image', body),
    headers: { ...headersOf(endpoint.key), 'content-type': contentType },
    timeoutMs: 120_000,
  };
  if (answer.status !== 200) throw classify(answer);
  const { name, subfolder } = asRecord(readObject(answer));
  if (asText(name) === undefined)
    throw new ProviderError('comfyui', 'unavailable', { detail: 'the upload has no name' });
  return [asText(subfolder), name].filter(part => part !== undefined).join('/');
}

function* poll(endpoint: Endpoint, { id }: Handle): Protocol<Poll> {
  const before = yield* readHistory(endpoint, id);
  if (before !== undefined) return toPoll(endpoint, before);
  const { running, pending } = yield* readQueue(endpoint);
  if (running.includes(id) || pending.includes(id)) return { isRunning: true };
  // The work may have finished between the two requests. If neither list has it, the server was restarted and lost it.
  const after = yield* readHistory(endpoint, id);
  if (after !== undefined) return toPoll(endpoint, after);
  throw new ProviderError('comfyui', 'lost');
}

/**
 * Newer servers cancel by id. `/interrupt` without an id, or on a server that does not support ids, stops whatever is
 * running; for older servers, the queue is checked first. A self-hosted server bills nothing, so the answer does not
 * matter.
 */
function* cancel(endpoint: Endpoint, { id }: Handle): Protocol<Cancellation> {
  const cancelled = yield toRequest(endpoint, `/api/jobs/${encodeURIComponent(id)}/cancel`, '{}');
  if (cancelled.status === 200) return { kind: 'cancelled' };
  const { running, pending } = yield* readQueue(endpoint);
  if (pending.includes(id)) yield toRequest(endpoint, '/queue', JSON.stringify({ delete: [id] }));
  if (running[0] === id) yield toRequest(endpoint, '/interrupt', JSON.stringify({ prompt_id: id }));
  return { kind: 'cancelled' };
}

function* readHistory(endpoint: Endpoint, id: string): Protocol<JsonRecord | undefined> {
  const answer = yield { ...toRequest(endpoint, `/history/${encodeURIComponent(id)}`), maxBytes: 67_108_864 };
  if (answer.status !== 200) throw classify(answer);
  const entry = asRecord(readObject(answer))[id];
  return entry === undefined ? undefined : asRecord(entry);
}

interface Queue {
  readonly running: readonly string[];
  readonly pending: readonly string[];
}

function* readQueue(endpoint: Endpoint): Protocol<Queue> {
  const answer = yield { ...toRequest(endpoint, '/queue'), maxBytes: 67_108_864 };
  if (answer.status !== 200) throw classify(answer);
  const { queue_running, queue_pending } = asRecord(readObject(answer));
  // An entry is an array: its number, then its id.
  const idsOf = (entries: unknown): string[] => asArray(entries).map(entry => String(asArray(entry)[1]));
  return { running: idsOf(queue_running), pending: idsOf(queue_pending) };
}

function toRequest(endpoint: Endpoint, path: string, body?: string | Uint8Array): ProviderRequest {
  const url = endpoint.baseUrl + path;
  const headers = headersOf(endpoint.key);
  if (body === undefined) return { method: 'GET', url, headers };
  return { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/**
 * ComfyUI has no keys, but a proxy in front of it may require a header: `Authorization` unless the operator names
 * another.
 */
export function headersOf(key: string): Readonly<Record<string, string>> {
  if (key === '') return {};
  const [, name = 'authorization', value = key] = /^([\w-]+):\s*(.*)$/.exec(key) ?? [];
  return { [name.toLowerCase()]: value };
}

function toPoll(endpoint: Endpoint, { status, outputs }: JsonRecord): Poll {
  const { status_str, messages } = asRecord(status);
  if (status_str === 'error') throw explainFailure(asArray(messages));
  const files = readFiles(endpoint, asRecord(outputs));
  if (files.length > 0) return { output: { files } };
  const detail =
    'the graph returned no file; a graph that ran before with the same settings returns none, so change its seed';
  throw new ProviderError('comfyui', 'bad_output', { detail });
}

function explainFailure(messages: readonly unknown[]): ProviderError {
  const events = new Map(messages.map(message => [asArray(message)[0], asRecord(asArray(message)[1])]));
  if (events.has('execution_interrupted')) return new ProviderError('comfyui', 'cancelled');
  const { node_type, exception_message } = events.get('execution_error') ?? {};
  const detail = [asText(node_type), asText(exception_message)].filter(part => part !== undefined).join(': ');
  return new ProviderError('comfyui', 'failed', { detail });
}

/**
 * Collects every file of every node (`images`, `gifs`, `audio`, …). Previews in the temporary folder are used only if
 * there are no others.
 */
function readFiles(endpoint: Endpoint, outputs: JsonRecord): Output['files'] {
  const files = Object.values(outputs)
    .flatMap(node => Object.values(asRecord(node)).flatMap(asArray).map(asRecord))
    .filter(file => asText(file.filename) !== undefined);
  const kept = files.filter(file => file.type !== 'temp');
  return (kept.length > 0 ? kept : files).map(({ filename, subfolder, type }) => {
    const query = new URLSearchParams({
      filename: String(filename),
      subfolder: asText(subfolder) ?? '',
      type: asText(type) ?? 'output',
    });
    return toRequest(endpoint, `/view?${query}`);
  });
}

function classify(answer: ProviderAnswer): ProviderError {
  const { error, node_errors } = asRecord(readObject(answer));
  const { message, details } = asRecord(error);
  const detail = describeNodeErrors(node_errors) ?? asText(message) ?? asText(error) ?? asText(details);
  return new ProviderError('comfyui', kindOfStatus(answer.status), { detail });
}

/** Returns the first error of each node, or undefined if there are none. */
function describeNodeErrors(nodeErrors: unknown): string | undefined {
  const complaints = Object.entries(asRecord(nodeErrors)).map(([id, entry]) => {
    const { class_type, errors } = asRecord(entry);
    const { message, details } = asRecord(asArray(errors)[0]);
    return `node ${id} (${String(class_type)}): ${[message, details].filter(part => asText(part) !== undefined).join(', ')}`;
  });
  return complaints.length === 0 ? undefined : complaints.join('; ');
}
