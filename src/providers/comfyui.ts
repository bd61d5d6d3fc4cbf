// Implements the protocol of a ComfyUI server: queues a graph with an id that we choose and reads the result from the
// server's history. https://docs.comfy.org/development/comfyui-server/comms_routes

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
import { classifyStatus, ProviderError } from './provider-error.ts';
import {
  asArray,
  asNonEmptyText,
  asRecord,
  type JsonRecord,
  type ProviderResponse,
  parseResponseObject,
} from './response.ts';

export interface ComfyCall {
  /** In ComfyUI's API format: node id → `class_type` and `inputs`. An input may be an attachment. */
  readonly graph: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

export function createComfyUiProvider(endpoint: Endpoint): Provider<ComfyCall> {
  return {
    name: 'comfyui',
    pace: { ...DEFAULT_PACE, maxMs: 2_000 },
    classify,
    submit: (call, chosenId) => submit(endpoint, call, chosenId),
    tasks: {
      poll: handle => poll(endpoint, handle),
      cancel: handle => cancel(endpoint, handle),
      acceptsChosenIds: true,
    },
  };
}

function* submit(endpoint: Endpoint, { graph }: ComfyCall, chosenId: string): Protocol<Submission> {
  const prompt = yield* uploadAttachments(endpoint, graph, chosenId);
  const response = yield {
    ...toRequest(endpoint, '/prompt', JSON.stringify(toPrompt(endpoint, prompt, chosenId))),
    role: 'submits',
  };
  if (response.status !== 200) throw classify(response);
  const reply = parseResponseObject(response) ?? {};
  // Older servers ignore the chosen id and create one.
  const handle = { id: asNonEmptyText(reply.prompt_id) ?? chosenId };
  const problem = describeNodeErrors(reply.node_errors);
  if (problem === undefined) return { handle };
  // 200 with node_errors: the server would run only the valid outputs, so the task is cancelled.
  try {
    yield* cancel(endpoint, handle);
  } catch {
    // The error of the graph is more helpful than the error of the cancellation.
  }
  throw new ProviderError('comfyui', 'invalid_input', { detail: problem });
}

/** Returns the request body, with a client id, because servers from before 2026 otherwise omit cached nodes. */
function toPrompt({ partnerKey }: Endpoint, prompt: unknown, chosenId: string): JsonRecord {
  const extra_data = { api_key_comfy_org: partnerKey };
  return {
    prompt,
    prompt_id: chosenId,
    client_id: chosenId,
    ...(partnerKey === undefined ? {} : { extra_data }),
  };
}

/** Returns the graph with each attachment uploaded and replaced by the name of its file. */
function* uploadAttachments(
  endpoint: Endpoint,
  graph: ComfyCall['graph'],
  chosenId: string,
): Protocol<unknown> {
  const uploadedGraph: Record<string, unknown> = Object.create(null);
  for (const [id, node] of Object.entries(graph)) {
    const inputs: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(node.inputs)) {
      inputs[name] = value instanceof Attachment ? yield* uploadFile(endpoint, value, chosenId) : value;
    }
    uploadedGraph[id] = { ...node, inputs };
  }
  return uploadedGraph;
}

function* uploadFile(endpoint: Endpoint, file: Attachment, chosenId: string): Protocol<string> {
  const renamedFile = new Attachment(file.bytes, file.contentType, `${chosenId}-${file.name}`);
  const { contentType, body } = encodeForm([
    ['image', renamedFile],
    ['type', 'input'],
    ['subfolder', 'graphwright'],
    ['overwrite', 'true'],
  ]);
  const response = yield {
    ...toRequest(endpoint, '/upload/image', body),
    headers: { ...toHeaders(endpoint.key), 'content-type': contentType },
    timeoutMs: 120_000,
  };
  if (response.status !== 200) throw classify(response);
  const { name, subfolder } = asRecord(parseResponseObject(response));
  if (asNonEmptyText(name) === undefined)
    throw new ProviderError('comfyui', 'unavailable', { detail: 'the upload has no name' });
  return [asNonEmptyText(subfolder), name].filter(part => part !== undefined).join('/');
}

function* poll(endpoint: Endpoint, { id }: Handle): Protocol<Poll> {
  const entry = yield* readHistory(endpoint, id);
  if (entry !== undefined) return toPoll(endpoint, entry);
  const { running, pending } = yield* readQueue(endpoint);
  if (running.includes(id) || pending.includes(id)) return { isRunning: true };
  // The task may have finished between the two requests. If the history still lacks the task, the server has lost it.
  const laterEntry = yield* readHistory(endpoint, id);
  if (laterEntry !== undefined) return toPoll(endpoint, laterEntry);
  throw new ProviderError('comfyui', 'lost');
}

/**
 * Cancels a task. Newer servers cancel by id. On older servers, `/interrupt` may stop any running task, so the queue is
 * checked first. Self-hosted servers do not bill, so the response does not matter.
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
  const response = yield {
    ...toRequest(endpoint, `/history/${encodeURIComponent(id)}`),
    maxBytes: 67_108_864,
  };
  if (response.status !== 200) throw classify(response);
  const entry = asRecord(parseResponseObject(response))[id];
  return entry === undefined ? undefined : asRecord(entry);
}

interface Queue {
  readonly running: readonly string[];
  readonly pending: readonly string[];
}

function* readQueue(endpoint: Endpoint): Protocol<Queue> {
  const response = yield { ...toRequest(endpoint, '/queue'), maxBytes: 67_108_864 };
  if (response.status !== 200) throw classify(response);
  const { queue_running, queue_pending } = asRecord(parseResponseObject(response));
  // An entry is an array of its number, its id, and more.
  const readIds = (entries: unknown): string[] => asArray(entries).map(entry => String(asArray(entry)[1]));
  return { running: readIds(queue_running), pending: readIds(queue_pending) };
}

function toRequest(endpoint: Endpoint, path: string, body?: string | Uint8Array): ProviderRequest {
  const url = endpoint.baseUrl + path;
  const headers = toHeaders(endpoint.key);
  if (body === undefined) return { method: 'GET', url, headers };
  return { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/**
 * Returns the headers for the key. ComfyUI has no keys, but a proxy in front of it may require a header:
 * `Authorization`, or another one that the operator configured.
 */
export function toHeaders(key: string): Readonly<Record<string, string>> {
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
    'the graph returned no file. A repeated run with the same settings returns none; change its seed';
  throw new ProviderError('comfyui', 'bad_output', { detail });
}

function explainFailure(messages: readonly unknown[]): ProviderError {
  const events = new Map(messages.map(message => [asArray(message)[0], asRecord(asArray(message)[1])]));
  if (events.has('execution_interrupted')) return new ProviderError('comfyui', 'cancelled');
  const { node_type, exception_message } = events.get('execution_error') ?? {};
  const detail = [asNonEmptyText(node_type), asNonEmptyText(exception_message)]
    .filter(part => part !== undefined)
    .join(': ');
  return new ProviderError('comfyui', 'failed', { detail });
}

/**
 * Collects every file of every node (`images`, `gifs`, `audio`, …). Previews in the temporary folder are used only if
 * there are no other files.
 */
function readFiles(endpoint: Endpoint, outputs: JsonRecord): Output['files'] {
  const files = Object.values(outputs)
    .flatMap(node => Object.values(asRecord(node)).flatMap(asArray).map(asRecord))
    .filter(file => asNonEmptyText(file.filename) !== undefined);
  const savedFiles = files.filter(file => file.type !== 'temp');
  return (savedFiles.length > 0 ? savedFiles : files).map(({ filename, subfolder, type }) => {
    const query = new URLSearchParams({
      filename: String(filename),
      subfolder: asNonEmptyText(subfolder) ?? '',
      type: asNonEmptyText(type) ?? 'output',
    });
    return toRequest(endpoint, `/view?${query}`);
  });
}

function classify(response: ProviderResponse): ProviderError {
  const { error, node_errors } = asRecord(parseResponseObject(response));
  const { message, details } = asRecord(error);
  const detail =
    describeNodeErrors(node_errors) ??
    asNonEmptyText(message) ??
    asNonEmptyText(error) ??
    asNonEmptyText(details);
  return new ProviderError('comfyui', classifyStatus(response.status), { detail });
}

/** Returns the first error of each node, or undefined if there are none. */
function describeNodeErrors(nodeErrors: unknown): string | undefined {
  const messages = Object.entries(asRecord(nodeErrors)).map(([id, entry]) => {
    const { class_type, errors } = asRecord(entry);
    const { message, details } = asRecord(asArray(errors)[0]);
    return `node ${id} (${String(class_type)}): ${[message, details].filter(part => asNonEmptyText(part) !== undefined).join(', ')}`;
  });
  return messages.length === 0 ? undefined : messages.join('; ');
}
