// Starts a ComfyUI server that validates and executes graphs of a few node types, and reports progress over WebSockets, as
// test/providers/comfyui-server.test.ts compares with a real server. It creates no pixels: every image is the same file.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptSocket, type ServerSocket } from '../socket-server.ts';
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

type Inputs = Readonly<Record<string, unknown>>;
type Graph = Readonly<Record<string, { readonly class_type: string; readonly inputs: Inputs }>>;
type Data = Readonly<Record<string, unknown>>;

interface NodeType {
  readonly required: Readonly<
    Record<string, readonly [type: string, options?: { min?: number; max?: number }]>
  >;
  readonly output: readonly string[];
  /** Returns what the history has of an output node. */
  readonly show?: (inputs: Inputs, batch: number) => Data;
}

const toFiles = (batch: number, type: string, prefix: string) => ({
  images: Array.from({ length: batch }, (_, index) => ({
    filename: `${prefix}_${String(index + 1).padStart(5, '0')}_.png`,
    subfolder: '',
    type,
  })),
});
const SIZE = ['INT', { min: 1, max: 16_384 }] as const;
const TYPES: Readonly<Record<string, NodeType>> = {
  EmptyImage: {
    required: { width: SIZE, height: SIZE, batch_size: ['INT', { min: 1, max: 4096 }], color: ['INT'] },
    output: ['IMAGE'],
  },
  ImageBlur: { required: { image: ['IMAGE'], blur_radius: ['INT'], sigma: ['FLOAT'] }, output: ['IMAGE'] },
  LoadImage: { required: { image: ['STRING'] }, output: ['IMAGE', 'MASK'] },
  PrimitiveString: { required: { value: ['STRING'] }, output: ['STRING'] },
  PreviewAny: {
    required: { source: ['*'] },
    output: [],
    show: ({ source }) => ({ text: [String(source)] }),
  },
  PreviewImage: {
    required: { images: ['IMAGE'] },
    output: [],
    show: (_, batch) => toFiles(batch, 'temp', 'ComfyUI_temp'),
  },
  SaveImage: {
    required: { images: ['IMAGE'], filename_prefix: ['STRING'] },
    output: [],
    show: ({ filename_prefix }, batch) => toFiles(batch, 'output', String(filename_prefix)),
  },
  /** A sampler: reports each step, with a preview. */
  Sampler: { required: { image: ['IMAGE'], steps: ['INT'] }, output: ['IMAGE'] },
};

const MAX_BYTES = 1e12;

interface Prompt {
  readonly id: string;
  readonly number: number;
  readonly graph: Graph;
  readonly clientId: string;
  readonly outputs: readonly string[];
  isInterrupted: boolean;
}

export interface ComfyServer extends Double {
  readonly state: {
    /** How long a node or a step of a sampler takes. */
    stepMs: number;
    /** Each node and step waits for it. */
    gate: Promise<void> | undefined;
    /** Whether queue and history have the forms of the fork that pip can install. */
    isFork: boolean;
    hasSockets: boolean;
    preview: Buffer;
  };
  /** The connected clients by their id. */
  readonly sockets: ReadonlyMap<string, ServerSocket>;
  /** The number of connections that were accepted. */
  readonly connections: () => number;
  /** The ids of the prompts that were executed, in order. */
  readonly executed: readonly string[];
}

export async function startComfyServer(image: Buffer): Promise<ComfyServer> {
  const state: ComfyServer['state'] = {
    stepMs: 5,
    gate: undefined,
    isFork: false,
    hasSockets: true,
    preview: image,
  };
  const sockets = new Map<string, ServerSocket>();
  const pending: Prompt[] = [];
  const history = new Map<string, Data>();
  const executed: string[] = [];
  let running: Prompt | undefined;
  let currentNode: string | undefined;
  let count = 0;
  let connections = 0;
  let isClosed = false;

  const send = (clientId: string, type: string, data: Data): void =>
    sockets.get(clientId)?.send(JSON.stringify({ type, data }));
  const sendStatus = (): void => {
    const queue_remaining = pending.length + (running === undefined ? 0 : 1);
    for (const id of sockets.keys()) send(id, 'status', { status: { exec_info: { queue_remaining } } });
  };

  async function executePending(): Promise<void> {
    while (running === undefined && pending.length > 0 && !isClosed) {
      running = pending.shift();
      if (running === undefined) return;
      executed.push(running.id);
      const entry = await execute(running);
      history.set(running.id, entry);
      const { clientId, id } = running;
      running = undefined;
      sendStatus();
      send(clientId, 'executing', { node: null, prompt_id: id });
    }
  }

  async function execute(prompt: Prompt): Promise<Data> {
    const { graph, clientId, id, number, outputs: ids } = prompt;
    const tell = (type: string, data: Data) => send(clientId, type, { ...data, prompt_id: id });
    const states: Record<string, Data> = {};
    const setState = (node: string, value: number, max: number): void => {
      states[node] = {
        value,
        max,
        state: value === max ? 'finished' : 'running',
        node_id: node,
        prompt_id: id,
      };
      tell('progress_state', { nodes: states });
    };
    const batches = new Map<string, number>();
    const outputs: Record<string, unknown> = {};
    const messages: unknown[] = [
      ['execution_start', { prompt_id: id }],
      ['execution_cached', { nodes: [], prompt_id: id }],
    ];
    const toEntry = (status_str: string): Data => ({
      prompt: [number, id, graph, { client_id: clientId }, ids],
      outputs,
      status: {
        status_str,
        completed: status_str === 'success',
        messages: state.isFork ? messages.map(toForkMessage) : messages,
      },
      meta: {},
    });
    tell('execution_start', {});
    tell('execution_cached', { nodes: [] });
    for (const node of sortNodes(graph, ids)) {
      const { class_type, inputs } = graph[node] as Graph[string];
      currentNode = node;
      setState(node, 0, 1);
      tell('executing', { node, display_node: node });
      const steps = class_type === 'Sampler' ? Number(inputs.steps) : 1;
      for (let step = 1; step <= steps; step++) {
        await state.gate;
        await sleep(state.stepMs);
        if (prompt.isInterrupted || isClosed) {
          const data = { node_id: node, node_type: class_type, executed: [] };
          tell('execution_interrupted', data);
          messages.push(['execution_interrupted', { ...data, prompt_id: id }]);
          return toEntry('error');
        }
        if (steps > 1) {
          setState(node, step, steps);
          sendPreview(clientId, { node_id: node, prompt_id: id });
          tell('progress', { value: step, max: steps, node });
        }
      }
      const source = Object.values(inputs).find(Array.isArray) as readonly [string] | undefined;
      const batch = Number(inputs.batch_size ?? (source && batches.get(source[0])) ?? 1);
      batches.set(node, batch);
      const bytes = 12 * batch * Number(inputs.width ?? 0) * Number(inputs.height ?? 0);
      const shown = TYPES[class_type]?.show?.(resolveInputs(graph, inputs), batch);
      if (shown !== undefined) {
        outputs[node] = shown;
        tell('executed', { node, display_node: node, output: shown });
      }
      if (bytes > MAX_BYTES) {
        const exception_message = `DefaultCPUAllocator: can't allocate memory: you tried to allocate ${bytes} bytes.\n`;
        const data = { node_id: node, node_type: class_type, exception_message };
        tell('execution_error', { ...data, exception_type: 'Exception', traceback: [] });
        messages.push(['execution_error', { ...data, prompt_id: id }]);
        return toEntry('error');
      }
      setState(node, steps, steps);
    }
    currentNode = undefined;
    tell('execution_success', {});
    messages.push(['execution_success', { prompt_id: id }]);
    return toEntry('success');
  }

  function sendPreview(clientId: string, metadata: Data): void {
    const socket = sockets.get(clientId);
    // Servers of 2026 send previews only to clients that say that they support metadata.
    if (socket?.received.some(text => text.includes('supports_preview_metadata')) !== true) return;
    const json = Buffer.from(JSON.stringify(metadata));
    const head = Buffer.alloc(8);
    head.writeUInt32BE(4, 0);
    head.writeUInt32BE(json.length, 4);
    socket.send(Buffer.concat([head, json, state.preview]));
  }

  const toQueueEntry = ({ number, id, graph, outputs }: Prompt) =>
    state.isFork ? { priority: number, prompt_id: id, prompt: graph } : [number, id, graph, {}, outputs];

  function submit(json: Data): Reply {
    const graph = json.prompt as Graph;
    const missing = Object.entries(graph).find(([, { class_type }]) => !Object.hasOwn(TYPES, class_type));
    if (missing !== undefined) {
      const [node_id, { class_type }] = missing;
      const extra_info = { node_id, class_type, node_title: class_type };
      const message = `Node '${class_type}' not found. The custom node may not be installed.`;
      return reject({ type: 'missing_node_type', message, details: `Node ID '#${node_id}'`, extra_info });
    }
    const ids = Object.keys(graph).filter(
      id => TYPES[(graph[id] as Graph[string]).class_type]?.show !== undefined,
    );
    if (ids.length === 0)
      return reject({ type: 'prompt_no_outputs', message: 'Prompt has no outputs', details: '' });
    const node_errors: Record<string, unknown> = {};
    const outputs = ids.filter(id => isValid(graph, id, node_errors));
    if (outputs.length === 0) {
      const message = 'Prompt outputs failed validation';
      return reject({ type: 'prompt_outputs_failed_validation', message, details: '' }, node_errors);
    }
    const id = String(json.prompt_id ?? randomUUID());
    const number = count++;
    pending.push({ id, number, graph, clientId: String(json.client_id), outputs, isInterrupted: false });
    sendStatus();
    void executePending();
    return { status: 200, body: { prompt_id: id, number, node_errors } };
  }

  const respond = ({ method, path, json, headers, body }: ReceivedRequest): Reply => {
    if (headers.origin !== undefined) return { status: 403 };
    if (path === '/prompt') return submit(json);
    if (path === '/queue' && method === 'GET')
      return {
        status: 200,
        body: {
          queue_running: running === undefined ? [] : [toQueueEntry(running)],
          queue_pending: pending.map(toQueueEntry),
        },
      };
    if (path === '/queue') {
      for (const id of (json.delete as readonly string[] | undefined) ?? []) {
        const index = pending.findIndex(prompt => prompt.id === id);
        if (index !== -1) pending.splice(index, 1);
      }
      return { status: 200 };
    }
    if (path === '/interrupt') {
      if (running !== undefined && (json.prompt_id === undefined || json.prompt_id === running.id))
        running.isInterrupted = true;
      return { status: 200 };
    }
    if (path.startsWith('/history/')) {
      const id = path.slice('/history/'.length);
      return { status: 200, body: history.has(id) ? { [id]: history.get(id) } : {} };
    }
    if (path.startsWith('/view?')) return { status: 200, body: image };
    if (path === '/upload/image') {
      const name = /name="image"; filename="([^"]+)"/.exec(body.toString('latin1'))?.[1];
      return { status: 200, body: { name, subfolder: 'graphwright', type: 'input' } };
    }
    if (path.startsWith('/object_info/')) {
      const type = decodeURIComponent(path.slice('/object_info/'.length));
      return { status: 200, body: Object.hasOwn(TYPES, type) ? { [type]: toObjectInfo(type) } : {} };
    }
    if (path === '/system_stats')
      return {
        status: 200,
        body: { system: { comfyui_version: '0.12.1' }, devices: [{ name: 'cpu', type: 'cpu' }] },
      };
    // Every other path belongs to the files of the frontend, which cannot be posted to.
    return { status: method === 'POST' ? 405 : 404 };
  };

  const onUpgrade = (req: IncomingMessage, stream: Duplex): void => {
    const url = new URL(req.url ?? '', 'http://x');
    if (!state.hasSockets || url.pathname !== '/ws') return void stream.destroy();
    const id = url.searchParams.get('clientId') || randomUUID();
    const socket = acceptSocket(req, stream);
    connections++;
    sockets.set(id, socket);
    // ComfyUI forgets the id even if a newer socket has it.
    stream.once('close', () => sockets.delete(id));
    send(id, 'status', { status: { exec_info: { queue_remaining: pending.length } }, sid: id });
    if (running?.clientId === id && currentNode !== undefined) send(id, 'executing', { node: currentNode });
  };
  const double = await startDouble(respond, onUpgrade);
  return {
    ...double,
    state,
    sockets,
    executed,
    connections: () => connections,
    async close() {
      isClosed = true;
      for (const socket of sockets.values()) socket.destroy();
      await double.close();
    },
  };
}

function reject(error: Data, node_errors: Data = {}): Reply {
  return { status: 400, body: { error: { extra_info: {}, ...error }, node_errors } };
}

function toForkMessage(message: unknown): string {
  const [event, { exception_message }] = message as [string, { exception_message?: string }];
  return exception_message === undefined ? event : `${event}: ${exception_message}`;
}

function toObjectInfo(type: string): Data {
  const { required, output, show } = TYPES[type] as NodeType;
  return { input: { required }, output, output_node: show !== undefined, name: type, display_name: type };
}

/** Validates the output and all nodes that it needs. Adds their errors. */
function isValid(graph: Graph, output: string, errors: Record<string, unknown>): boolean {
  const results = sortNodes(graph, [output]).map(id => {
    const { class_type, inputs } = graph[id] as Graph[string];
    const found = Object.entries((TYPES[class_type] as NodeType).required).flatMap(
      ([name, [type, { min, max } = {}]]) => {
        const create = (kind: string, message: string, details: string) => [
          { type: kind, message, details, extra_info: { input_name: name } },
        ];
        const value = inputs[name];
        if (value === undefined) return create('required_input_missing', 'Required input is missing', name);
        if (Array.isArray(value)) {
          const received = TYPES[graph[value[0]]?.class_type ?? '']?.output[value[1]] ?? '?';
          return received === type || type === '*'
            ? []
            : create(
                'return_type_mismatch',
                'Return type mismatch between linked nodes',
                `${name}, ${received} != ${type}`,
              );
        }
        if (min !== undefined && Number(value) < min)
          return create('value_smaller_than_min', `Value ${value} smaller than min of ${min}`, name);
        if (max !== undefined && Number(value) > max)
          return create('value_bigger_than_max', `Value ${value} bigger than max of ${max}`, name);
        return [];
      },
    );
    if (found.length > 0) errors[id] = { errors: found, dependent_outputs: [output], class_type };
    return found.length === 0;
  });
  return results.every(Boolean);
}

/** Lists the outputs and the nodes that they need, each after those that it needs. */
function sortNodes(graph: Graph, outputs: readonly string[]): readonly string[] {
  const sorted = new Set<string>();
  const visit = (id: string): void => {
    if (sorted.has(id) || !Object.hasOwn(graph, id)) return;
    for (const value of Object.values(graph[id]?.inputs ?? {}))
      if (Array.isArray(value)) visit(String(value[0]));
    sorted.add(id);
  };
  outputs.forEach(visit);
  return [...sorted];
}

/** Replaces links to texts by the texts. */
function resolveInputs(graph: Graph, inputs: Inputs): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      Array.isArray(value) ? (graph[String(value[0])]?.inputs.value ?? value) : value,
    ]),
  );
}
