// Follows a task at a ComfyUI server over its WebSocket: which share of the graph's steps is done, which node executes, and
// its preview. Whatever the server sends, little of it is read.
import { isRecord } from '../../lib/record.ts';
import { toHeaders } from '../../providers/comfyui.ts';
import {
  ComfyProgress,
  readComfyMessage,
  SOCKET_GREETING,
  toSocketPath,
} from '../../providers/comfyui-messages.ts';
import type { ProviderCredential } from '../../providers/credential.ts';

export interface FollowedTask {
  /** Reads messages until the connection ends. Returns whether the server said that the task ended. Throws FetchError. */
  read(onChange: () => void, signal: AbortSignal): Promise<boolean>;
  /** From 0 to 1. It never falls. */
  readonly fraction: number;
  /** The title of the node that executes. */
  readonly detail: string | undefined;
  /** Returns the newest preview once. Its bytes may be no image. */
  takePreview(): Buffer | undefined;
}

const SOCKET_LIMITS = { timeoutMs: 10_000, maxMessageBytes: 262_144, maxBytesPerSecond: 4_194_304 };
/** Messages beyond these are not read. The next ones say the same. */
const MAX_BURST = 200;
const MESSAGES_PER_SECOND = 20;
const MAX_DETAIL_CHARS = 80;
const MAX_GRAPH_NODES = 2000;

/** Returns the task, or undefined if the server cannot be followed. `config` is that of the node, which has the graph. */
export function createFollowedTask(
  { connect, endpoint }: Pick<ProviderCredential, 'connect' | 'endpoint'>,
  id: string,
  config: Readonly<Record<string, unknown>>,
): FollowedTask | undefined {
  if (connect === undefined) return undefined;
  const progress = new ComfyProgress(readGraph(config));
  let preview: Buffer | undefined;
  return {
    async read(onChange, signal) {
      const headers = toHeaders(endpoint.key);
      const socket = await connect(toSocketPath(id), { ...SOCKET_LIMITS, headers, signal });
      socket.send(SOCKET_GREETING);
      const claimMessage = createAllowance();
      for await (const message of socket.messages) {
        const read = claimMessage() ? readComfyMessage(message, id) : undefined;
        if (read === undefined) continue;
        if (read.kind === 'ended') return true;
        if (read.kind === 'preview') preview = read.image;
        else progress.apply(read);
        onChange();
      }
      return false;
    },
    get fraction() {
      return progress.fraction;
    },
    get detail() {
      return progress.label?.slice(0, MAX_DETAIL_CHARS).toWellFormed();
    },
    takePreview() {
      const newest = preview;
      preview = undefined;
      return newest;
    },
  };
}

/** Returns the graph, of which the progress needs titles and steps. */
function readGraph({ graph, workflow }: Readonly<Record<string, unknown>>) {
  const nodes = Object.entries(asGraph(graph ?? workflow)).slice(0, MAX_GRAPH_NODES);
  return Object.fromEntries(nodes.flatMap(([id, node]) => (isRecord(node) ? [[id, node]] : [])));
}

const asGraph = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Returns a function that says whether one more message may be read now. */
function createAllowance(): () => boolean {
  let allowance = MAX_BURST;
  let refilledAtMs = performance.now();
  return () => {
    const nowMs = performance.now();
    allowance = Math.min(MAX_BURST, allowance + ((nowMs - refilledAtMs) / 1000) * MESSAGES_PER_SECOND);
    refilledAtMs = nowMs;
    if (allowance < 1) return false;
    allowance--;
    return true;
  };
}
