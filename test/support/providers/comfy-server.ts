// Starts a double of a ComfyUI server that executes one prompt at a time, each for a while, and that can die and come back at
// the same address. It records which prompts were submitted, executed and canceled.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';

interface Prompt {
  readonly id: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** An execution of a prompt. `endMs` is when it ended, or when the server died. */
export interface ComfyExecution {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isComplete: boolean;
}

export interface ComfyServerOptions {
  /** How long a prompt takes. */
  readonly runMs?: number;
  /** The node types, and for each of its file inputs the choices. */
  readonly types?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly partnerTypes?: readonly string[];
  readonly vramTotal?: number;
}

export interface ComfyServer {
  readonly url: string;
  options: ComfyServerOptions;
  /** How the next requests are answered: normally, never, with status 500, or with a list of types of 200 MB. */
  mode: 'normal' | 'hang' | 'fail' | 'large';
  /** The ids of all prompts, in the order of their submission. */
  readonly submitted: readonly string[];
  readonly canceled: readonly string[];
  /** The most prompts that were in its queue at the same time. */
  readonly maxQueued: number;
  readonly executions: readonly ComfyExecution[];
  readonly paths: readonly string[];
  /** Ends prompts, forgets everything and closes the port, like a process that is killed. */
  kill(): Promise<void>;
  /** Closes the port, while the prompts go on. */
  disconnect(): Promise<void>;
  /** Listens again. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

export async function startComfyServer(file: Buffer, initial: ComfyServerOptions = {}): Promise<ComfyServer> {
  const queue: Prompt[] = [];
  const history = new Map<string, Prompt>();
  const executions: ComfyExecution[] = [];
  const submitted: string[] = [];
  const canceled: string[] = [];
  const paths: string[] = [];
  const sockets = new Set<Socket>();
  const counts = { maxQueued: 0 };

  /** Moves the prompts that have ended to the history. */
  const advance = (): void => {
    for (let [first] = queue; first !== undefined && first.endsAtMs <= Date.now(); [first] = queue) {
      queue.shift();
      history.set(first.id, first);
      executions.push({ id: first.id, startMs: first.startsAtMs, endMs: first.endsAtMs, isComplete: true });
    }
  };
  const stopPrompt = (id: string): void => {
    const index = queue.findIndex(prompt => prompt.id === id);
    const [prompt] = index === -1 ? [] : queue.splice(index, 1);
    if (prompt === undefined) return;
    const now = Date.now();
    if (prompt.startsAtMs < now)
      executions.push({ id, startMs: prompt.startsAtMs, endMs: now, isComplete: false });
  };
  const submit = (id: string): void => {
    const { runMs = 100 } = double.options;
    submitted.push(id);
    const startsAtMs = Math.max(Date.now(), queue.at(-1)?.endsAtMs ?? 0);
    queue.push({ id, startsAtMs, endsAtMs: startsAtMs + runMs });
    counts.maxQueued = Math.max(counts.maxQueued, queue.length);
  };

  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = req.url ?? '';
    paths.push(`${req.method} ${path}`);
    if (double.mode === 'hang') return;
    const send = (status: number, body: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(JSON.stringify(body));
    };
    if (double.mode === 'fail') return send(500, {});
    advance();
    if (path === '/system_stats') return send(200, toStats(double.options));
    if (path === '/object_info') {
      if (double.mode === 'large') return sendLarge(res);
      return send(200, toObjectInfo(double.options));
    }
    if (path.startsWith('/object_info/')) return send(200, {});
    if (path === '/queue' && req.method === 'GET') {
      const entries = queue.map(({ id }, index) => [index, id, {}, {}, []]);
      return send(200, { queue_running: entries.slice(0, 1), queue_pending: entries.slice(1) });
    }
    if (path.startsWith('/history/')) {
      const id = path.slice('/history/'.length);
      return send(200, history.has(id) ? { [id]: ENTRY } : {});
    }
    if (path.startsWith('/view?')) {
      res.writeHead(200, { 'content-type': 'application/octet-stream' });
      res.end(file);
      return;
    }
    const body = (await json(req).catch(() => ({}))) as Record<string, unknown>;
    if (path === '/prompt') {
      const missing = findUnknown(body.prompt, double.options);
      if (missing !== undefined)
        return send(400, {
          error: { type: 'missing_node_type', message: `Node ${missing} not found` },
          node_errors: {},
        });
      submit(String(body.prompt_id));
      return send(200, { prompt_id: body.prompt_id, number: submitted.length, node_errors: {} });
    }
    const idToCancel = /^\/api\/jobs\/([^/]+)\/cancel$/.exec(path)?.[1];
    if (idToCancel === undefined) return send(404, {});
    canceled.push(idToCancel);
    stopPrompt(idToCancel);
    send(200, { cancelled: true });
  };

  const server = createServer((req, res) => void respond(req, res).catch(() => res.destroy()));
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const disconnect = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const double: ComfyServer = {
    url: `http://127.0.0.1:${port}`,
    options: initial,
    mode: 'normal',
    submitted,
    canceled,
    get maxQueued() {
      return counts.maxQueued;
    },
    get executions() {
      advance();
      return executions;
    },
    paths,
    disconnect,
    kill: async () => {
      advance();
      for (const { id } of [...queue]) stopPrompt(id);
      history.clear();
      await disconnect();
    },
    reconnect: () => listen(port),
    close: disconnect,
  };
  return double;
}

const ENTRY = {
  status: { status_str: 'success', completed: true, messages: [] },
  outputs: { '9': { images: [{ filename: 'out.png', subfolder: '', type: 'output' }] } },
};

const DEFAULT_TYPES = { CheckpointLoaderSimple: { ckpt_name: ['a.safetensors'] }, SaveImage: {} };

const toStats = ({ vramTotal = 24_000_000_000 }: ComfyServerOptions) => ({
  system: { comfyui_version: '0.12.1' },
  devices: [{ name: 'cuda:0 Test', vram_total: vramTotal, vram_free: vramTotal / 2 }],
});

function toObjectInfo({ types = DEFAULT_TYPES, partnerTypes = [] }: ComfyServerOptions) {
  return Object.fromEntries(
    Object.entries(types).map(([type, inputs]) => [
      type,
      {
        input: {
          required: Object.fromEntries(
            Object.entries(inputs).map(([name, choices]) => [name, [choices, {}]]),
          ),
        },
        output: [],
        name: type,
        api_node: partnerTypes.includes(type),
      },
    ]),
  );
}

function findUnknown(prompt: unknown, { types = DEFAULT_TYPES }: ComfyServerOptions): string | undefined {
  return Object.values(prompt as Record<string, { class_type: string }>)
    .map(({ class_type }) => class_type)
    .find(type => !Object.hasOwn(types, type));
}

const LARGE_CHUNK = Buffer.from(`"${'x'.repeat(1_000_000)}": {},`);

/** Sends a list of node types of 200 MB, as long as it is read. */
function sendLarge(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  let count = 0;
  const write = (): void => {
    while (count++ < 200) if (!res.write(LARGE_CHUNK)) return;
    res.end('}');
  };
  res.on('drain', write);
  write();
}
