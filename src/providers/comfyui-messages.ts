// Reads the messages of ComfyUI's WebSocket about one prompt, and computes the progress of its graph.
// https://docs.comfy.org/development/comfyui-server/comms_messages
import { parseJson } from '../lib/record.ts';
import { asArray, asNonEmptyText, asRecord, type JsonRecord } from './response.ts';

/** The path of the socket. Messages about a prompt go only to the client that submitted it. */
export const toSocketPath = (clientId: string): string => `/ws?clientId=${encodeURIComponent(clientId)}`;

/** The first message of a client. Without it, servers of 2026 send no previews. */
export const SOCKET_GREETING = JSON.stringify({
  type: 'feature_flags',
  data: { supports_preview_metadata: true },
});

/** With many nodes, the texts become long, and shorter ones follow that say the same. */
const MAX_TEXT_BYTES = 65_536;
const MAX_PREVIEW_BYTES = 262_144;
const MAX_METADATA_BYTES = 16_384;

/** The steps of a node of the graph. */
interface NodeSteps {
  readonly node: string;
  readonly value: number;
  readonly max: number;
}

export type ComfyMessage =
  | { readonly kind: 'executing'; readonly node: string }
  | { readonly kind: 'finished'; readonly nodes: readonly string[] }
  | { readonly kind: 'steps'; readonly nodes: readonly NodeSteps[] }
  | { readonly kind: 'preview'; readonly image: Buffer }
  /** The history has the result. */
  | { readonly kind: 'ended' };

/** Returns what the message says about the prompt, or undefined if it says nothing about it. */
export function readComfyMessage(
  { isText, data }: { readonly isText: boolean; readonly data: Buffer },
  promptId: string,
): ComfyMessage | undefined {
  if (!isText) return readPreview(data, promptId);
  if (data.length > MAX_TEXT_BYTES) return undefined;
  const { type, data: content } = asRecord(parseJson(data.toString()));
  const fields = asRecord(content);
  // The node that executes when the socket opens comes without the id of its prompt.
  if (fields.prompt_id !== promptId && (fields.prompt_id !== undefined || type !== 'executing'))
    return undefined;
  return typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type]?.(fields) : undefined;
}

const READERS: Readonly<Record<string, (fields: JsonRecord) => ComfyMessage | undefined>> = {
  executing: ({ node, prompt_id }) => {
    if (node === null && prompt_id !== undefined) return { kind: 'ended' };
    const id = readId(node);
    return id === undefined ? undefined : { kind: 'executing', node: id };
  },
  execution_cached: ({ nodes }) => ({
    kind: 'finished',
    nodes: asArray(nodes).flatMap(id => readId(id) ?? []),
  }),
  executed: ({ node }) => ({ kind: 'finished', nodes: [node].flatMap(id => readId(id) ?? []) }),
  progress: fields => ({ kind: 'steps', nodes: readSteps(fields.node, fields) }),
  progress_state: ({ nodes }) => ({
    kind: 'steps',
    nodes: Object.entries(asRecord(nodes)).flatMap(([id, state]) => readSteps(id, asRecord(state))),
  }),
};

const readId = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : asNonEmptyText(value);

function readSteps(id: unknown, { value, max }: JsonRecord): readonly NodeSteps[] {
  const node = readId(id);
  if (node === undefined || !isFiniteNumber(value) || !isFiniteNumber(max) || max <= 0) return [];
  return [{ node, max, value: Math.min(Math.max(value, 0), max) }];
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

const BINARY_TYPES = { preview: 1, previewWithMetadata: 4 } as const;
const IMAGE_TYPE_BYTES = 4;

/** Reads a preview: type, then either the type of the image, or metadata with their length, then the image. */
function readPreview(data: Buffer, promptId: string): ComfyMessage | undefined {
  if (data.length < 8 || data.length > MAX_PREVIEW_BYTES) return undefined;
  const type = data.readUInt32BE(0);
  if (type === BINARY_TYPES.preview) return { kind: 'preview', image: data.subarray(4 + IMAGE_TYPE_BYTES) };
  if (type !== BINARY_TYPES.previewWithMetadata) return undefined;
  const length = data.readUInt32BE(4);
  if (length > MAX_METADATA_BYTES || 8 + length > data.length) return undefined;
  const { prompt_id } = asRecord(parseJson(data.toString('utf8', 8, 8 + length)));
  return prompt_id === promptId ? { kind: 'preview', image: data.subarray(8 + length) } : undefined;
}

interface GraphNode {
  readonly class_type?: unknown;
  readonly inputs?: unknown;
  readonly _meta?: unknown;
}

/** The steps of a graph. Nodes that the graph does not have are ignored, as a server may name any. */
export class ComfyProgress {
  readonly #graph: Readonly<Record<string, GraphNode>>;
  readonly #steps = new Map<string, { value: number; max: number; isReported: boolean }>();
  /** Steps of nodes, such as schedulers, that left them to a sampler which has not begun. */
  #leftSteps = 0;
  #executing: string | undefined;
  #fraction = 0;

  constructor(graph: Readonly<Record<string, GraphNode>>) {
    this.#graph = graph;
    for (const [id, { inputs }] of Object.entries(graph))
      this.#steps.set(id, { value: 0, max: guessSteps(asRecord(inputs).steps), isReported: false });
  }

  apply(message: ComfyMessage): void {
    if (message.kind === 'executing' && this.#steps.has(message.node)) {
      if (this.#executing !== undefined && this.#executing !== message.node) this.#finish(this.#executing);
      this.#executing = message.node;
    } else if (message.kind === 'finished') for (const id of message.nodes) this.#finish(id);
    else if (message.kind === 'steps') for (const steps of message.nodes) this.#setSteps(steps);
  }

  /** The share of the steps of all nodes, which never falls. */
  get fraction(): number {
    let [value, max] = [0, this.#leftSteps];
    for (const steps of this.#steps.values()) [value, max] = [value + steps.value, max + steps.max];
    this.#fraction = Math.max(this.#fraction, max === 0 ? 0 : value / max);
    return this.#fraction;
  }

  /** The title of the node that executes, or its type. */
  get label(): string | undefined {
    const node = this.#executing === undefined ? undefined : this.#graph[this.#executing];
    return asNonEmptyText(asRecord(node?._meta).title) ?? asNonEmptyText(node?.class_type);
  }

  #finish(id: string): void {
    const steps = this.#steps.get(id);
    if (steps === undefined) return;
    if (!steps.isReported) {
      this.#leftSteps += steps.max - 1;
      steps.max = 1;
    }
    steps.value = steps.max;
  }

  #setSteps({ node, value, max }: NodeSteps): void {
    const steps = this.#steps.get(node);
    if (steps === undefined) return;
    // A node without steps of its own reports one, when it starts and when it ends.
    if (max > 1) {
      if (!steps.isReported) this.#leftSteps = Math.max(0, this.#leftSteps - (max - steps.max));
      Object.assign(steps, { value, max, isReported: true });
    } else if (value === max) this.#finish(node);
    if (value < max) this.#executing = node;
  }
}

const MAX_STEPS = 10_000;

/** Returns the steps that a sampler will report, or 1. */
const guessSteps = (steps: unknown): number =>
  typeof steps === 'number' && steps >= 1 && steps <= MAX_STEPS ? steps : 1;
