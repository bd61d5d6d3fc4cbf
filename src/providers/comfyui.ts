// Implements the protocol of a ComfyUI server: queues a graph with an id that we choose and reads the result from the
// server's history. https://docs.comfy.org/development/comfyui-server/comms_routes

import { type DescribedNodes, explainFailure, findMissingType, findNodeErrors } from './comfyui-errors.ts';
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
  readonly graph: Readonly<Record<string, ComfyNode>>;
  /** The ids of the nodes whose files and texts are the result. Default: the files of all nodes. */
  readonly outputs?: readonly string[];
  /** Node types whose `/object_info` the graph needs before it can be submitted. */
  readonly unknownTypes?: readonly string[];
  /** Returns the graph to submit, given the entries of `/object_info` that the server has. */
  withTypes?(infos: Readonly<Record<string, unknown>>): ComfyCall['graph'];
}

interface ComfyNode {
  readonly class_type?: unknown;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly _meta?: unknown;
}

/** Batches of images have one file per image. */
const MAX_FILES = 64;
/** Reading a type takes a request, so the types of larger graphs stay unknown. */
const MAX_UNKNOWN_TYPES = 100;

export function createComfyUiProvider(endpoint: Endpoint): Provider<ComfyCall> {
  return {
    name: 'comfyui',
    pace: { ...DEFAULT_PACE, maxMs: 2_000 },
    maxFiles: MAX_FILES,
    classify: response => classify(response),
    submit: (call, chosenId) => submit(endpoint, call, chosenId),
    tasks: {
      poll: (handle, call) => poll(endpoint, handle, call),
      cancel: handle => cancel(endpoint, handle),
      acceptsChosenIds: true,
    },
  };
}

function* submit(endpoint: Endpoint, call: ComfyCall, chosenId: string): Protocol<Submission> {
  const { unknownTypes = [], withTypes } = call;
  const graph =
    withTypes === undefined ? call.graph : withTypes(yield* readNodeTypes(endpoint, unknownTypes));
  const prompt = yield* uploadAttachments(endpoint, graph, chosenId);
  const response = yield {
    ...toRequest(endpoint, '/prompt', JSON.stringify(toPrompt(endpoint, prompt, chosenId))),
    role: 'submits',
  };
  if (response.status !== 200) throw classify(response, graph);
  const reply = parseResponseObject(response) ?? {};
  // Older servers ignore the chosen id and create one.
  const handle = { id: asNonEmptyText(reply.prompt_id) ?? chosenId };
  const problem = findNodeErrors(reply.node_errors, graph, 'invalid_input');
  if (problem === undefined) return { handle };
  // 200 with node_errors: the server would run only the valid outputs, so the task is cancelled.
  try {
    yield* cancel(endpoint, handle);
  } catch {
    // The error of the graph is more helpful than the error of the cancellation.
  }
  throw problem;
}

/** A server that does not know a type refuses the graph with a better error than any other request. */
function* readNodeTypes(
  endpoint: Endpoint,
  types: readonly string[],
): Protocol<Readonly<Record<string, unknown>>> {
  const infos: Record<string, unknown> = {};
  for (const type of types.slice(0, MAX_UNKNOWN_TYPES)) {
    const response = yield toRequest(endpoint, `/object_info/${encodeURIComponent(type)}`);
    if (response.status === 200) Object.assign(infos, parseResponseObject(response));
  }
  return infos;
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

function* poll(endpoint: Endpoint, { id }: Handle, call: Partial<ComfyCall>): Protocol<Poll> {
  const entry = yield* readHistory(endpoint, id);
  if (entry !== undefined) return toPoll(endpoint, entry, call);
  const { running, pending } = yield* readQueue(endpoint);
  if (running.includes(id) || pending.includes(id)) return { isRunning: true };
  // The task may have finished between the two requests. If the history still lacks the task, the server has lost it.
  const laterEntry = yield* readHistory(endpoint, id);
  if (laterEntry !== undefined) return toPoll(endpoint, laterEntry, call);
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
  // An entry is an array of its number, its id, and more. Servers of a public fork send it as an object.
  const readIds = (entries: unknown): string[] =>
    asArray(entries).map(entry => String(asArray(entry)[1] ?? asRecord(entry).prompt_id));
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

/** `call` has no graph while the state of a suspended run is polled; the result is then read again. */
function toPoll(
  endpoint: Endpoint,
  { status, outputs }: JsonRecord,
  { graph = {}, outputs: outputIds }: Partial<ComfyCall>,
): Poll {
  const { status_str, messages } = asRecord(status);
  if (status_str === 'error') throw explainFailure(asArray(messages), graph);
  if (outputIds !== undefined) return { output: readNodeOutputs(endpoint, asRecord(outputs), outputIds) };
  const files = readFiles(endpoint, asRecord(outputs));
  if (files.length > 0) return { output: { files } };
  const detail =
    'the graph returned no file. A repeated run with the same settings returns none; change its seed';
  throw new ProviderError('comfyui', 'bad_output', { detail });
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
  return (savedFiles.length > 0 ? savedFiles : files).map(file => toFileRequest(endpoint, file));
}

/** The members of a node's entry that are not files of its result: whether images are animated, and texts. */
const NO_FILES: ReadonlySet<string> = new Set(['animated', 'text']);
const MAX_TEXTS = 1000;

/** Collects the files and texts of the chosen nodes, also previews. */
function readNodeOutputs(endpoint: Endpoint, outputs: JsonRecord, ids: readonly string[]): Output {
  const files = ids.flatMap(id =>
    Object.entries(asRecord(Object.hasOwn(outputs, id) ? outputs[id] : undefined))
      .filter(([name]) => !NO_FILES.has(name))
      .flatMap(([, list]) => asArray(list).map(asRecord))
      .filter(file => asNonEmptyText(file.filename) !== undefined)
      .map(file => ({ id, request: toFileRequest(endpoint, file) })),
  );
  const texts = ids.flatMap(id => {
    const { text } = asRecord(Object.hasOwn(outputs, id) ? outputs[id] : undefined);
    const list = asArray(text)
      .filter(item => typeof item === 'string')
      .slice(0, MAX_TEXTS);
    return list.length === 0 ? [] : [[id, list] as const];
  });
  if (files.length === 0 && texts.length === 0) {
    const detail = 'the outputs of the graph returned neither a file nor a text';
    throw new ProviderError('comfyui', 'bad_output', { detail });
  }
  return {
    files: files.map(({ request }) => request),
    fileNodes: files.map(({ id }) => id),
    nodeTexts: Object.fromEntries(texts),
  };
}

function toFileRequest(endpoint: Endpoint, { filename, subfolder, type }: JsonRecord): ProviderRequest {
  const query = new URLSearchParams({
    filename: String(filename),
    subfolder: asNonEmptyText(subfolder) ?? '',
    type: asNonEmptyText(type) ?? 'output',
  });
  return toRequest(endpoint, `/view?${query}`);
}

function classify(response: ProviderResponse, graph: DescribedNodes = {}): ProviderError {
  const { error, node_errors } = asRecord(parseResponseObject(response));
  const kind = classifyStatus(response.status);
  const explained = findNodeErrors(node_errors, graph, kind) ?? findMissingType(error, graph);
  if (explained !== undefined) return explained;
  const { message, details } = asRecord(error);
  const detail = asNonEmptyText(message) ?? asNonEmptyText(error) ?? asNonEmptyText(details);
  return new ProviderError('comfyui', kind, { detail });
}
