// Starts a double of ComfyUI with a queue and a history. Like ComfyUI, it accepts the same prompt id twice.
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

export interface ComfyDouble extends Double {
  readonly state: {
    /** The number of polls until a prompt ends. */
    polls: number;
    nodeErrors: Readonly<Record<string, unknown>>;
    /** Whether the entries of the queue are objects, as those of the public fork that pip can install. */
    hasObjectQueue: boolean;
    /** Whether the server supports `/api/jobs/{id}/cancel`. */
    supportsJobs: boolean;
    /** The header that a proxy in front of the server requires. Other requests get 401. */
    requiredHeader: readonly [name: string, value: string] | undefined;
    /** The history entry of a finished prompt. */
    entry: Readonly<Record<string, unknown>>;
    /** The node types of `/object_info`. */
    objectInfo: Readonly<Record<string, unknown>>;
    /** The content of files by name. Other files have the content with which the double was started. */
    files: Readonly<Record<string, Buffer>>;
  };
  /** The ids of all queued prompts, in order. */
  readonly queued: string[];
  /** Restarts the server, which clears the queue and the history. */
  restart(): void;
}

export async function startComfy(file: Buffer): Promise<ComfyDouble> {
  const state: ComfyDouble['state'] = {
    polls: 2,
    nodeErrors: {},
    hasObjectQueue: false,
    supportsJobs: false,
    requiredHeader: undefined,
    entry: {
      status: { status_str: 'success', completed: true, messages: [] },
      outputs: {
        '8': { images: [{ filename: 'preview.png', subfolder: '', type: 'temp' }] },
        '9': { images: [{ filename: 'fox 1.png', subfolder: 'a', type: 'output' }] },
      },
    },
    objectInfo: {},
    files: {},
  };
  const queued: string[] = [];
  const pollCounts = new Map<string, number>();
  const respond = ({ method, path, json, headers, body }: ReceivedRequest): Reply => {
    if (headers.origin !== undefined) return { status: 403 };
    if (state.requiredHeader !== undefined && headers[state.requiredHeader[0]] !== state.requiredHeader[1])
      return { status: 401 };
    const idToCancel = /^\/api\/jobs\/([^/]+)\/cancel$/.exec(path)?.[1];
    if (idToCancel !== undefined) {
      if (!state.supportsJobs) return { status: 404 };
      return { status: 200, body: { cancelled: pollCounts.delete(idToCancel) } };
    }
    if (path.startsWith('/view?')) {
      const name = new URLSearchParams(path.slice('/view?'.length)).get('filename') ?? '';
      return { status: 200, body: state.files[name] ?? file };
    }
    if (path === '/upload/image') {
      const name = /name="image"; filename="([^"]+)"/.exec(body.toString('latin1'))?.[1];
      return { status: 200, body: { name, subfolder: 'graphwright', type: 'input' } };
    }
    if (path.startsWith('/object_info/')) {
      // Like ComfyUI, answers 200 for a type that it does not have.
      const type = decodeURIComponent(path.slice('/object_info/'.length));
      const info = state.objectInfo[type];
      return { status: 200, body: info === undefined ? {} : { [type]: info } };
    }
    if (path === '/prompt') {
      const id = String(json.prompt_id);
      queued.push(id);
      pollCounts.set(id, 0);
      // Older servers report cached nodes to the caller's `client_id` only, and not at all without one.
      if (json.client_id === undefined)
        return { status: 200, body: { prompt_id: 'unknown', node_errors: {} } };
      return { status: 200, body: { prompt_id: id, number: queued.length, node_errors: state.nodeErrors } };
    }
    if (path === '/queue' && method === 'GET') {
      const entries = [...pollCounts].flatMap(([id, pollCount], index) => {
        if (pollCount >= state.polls) return [];
        return [state.hasObjectQueue ? { priority: index, prompt_id: id } : [index, id, {}, {}, []]];
      });
      return { status: 200, body: { queue_running: entries.slice(0, 1), queue_pending: entries.slice(1) } };
    }
    if (path === '/queue' || path === '/interrupt') {
      for (const id of [json.prompt_id, ...((json.delete as string[] | undefined) ?? [])])
        pollCounts.delete(String(id));
      return { status: 200 };
    }
    const id = path.replace('/history/', '');
    const pollCount = pollCounts.get(id);
    if (pollCount === undefined) return { status: 200, body: {} };
    pollCounts.set(id, pollCount + 1);
    return { status: 200, body: pollCount < state.polls ? {} : { [id]: state.entry } };
  };
  return Object.assign(await startDouble(respond), { state, queued, restart: () => pollCounts.clear() });
}
