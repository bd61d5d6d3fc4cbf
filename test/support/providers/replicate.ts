// Starts a double of Replicate, with predictions and files.
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

export interface ReplicateDouble extends Double {
  readonly state: {
    /** The number of polls until a prediction ends. */
    polls: number;
    /** The number of polls until a prediction starts. */
    startingPolls: number;
    /** The fields of a prediction that has ended. */
    end: Readonly<Record<string, unknown>>;
    /** The secret that signs an account's webhooks, by API key. */
    readonly secrets: Map<string, string>;
  };
  /** The ids of created predictions. */
  readonly created: string[];
}

const CREATED_AT = '2026-11-22T08:00:00.000Z';
const PROGRESS_LOG = 'Loading…\n  0%|          | 0/28\n 50%|█████     | 14/28 [00:01<00:01]\n';

export async function startReplicate(file: Buffer): Promise<ReplicateDouble> {
  const state = {
    polls: 2,
    startingPolls: 1,
    end: { status: 'succeeded', output: null } as Record<string, unknown>,
    secrets: new Map([['r8-key', 'whsec_c2VjcmV0']]),
  };
  const created: string[] = [];
  const pollCounts = new Map<string, number>();
  const pollCountAtCancel = new Map<string, number>();
  const respond = (request: ReceivedRequest): Reply => {
    const { method, path } = request;
    if (path.startsWith('/delivery/')) return { status: 200, body: file };
    const secret = state.secrets.get(String(request.headers.authorization).replace('Bearer ', ''));
    if (secret === undefined) {
      return {
        status: 401,
        body: { title: 'Unauthenticated', detail: 'You did not pass a valid token', status: 401 },
      };
    }
    if (path === '/v1/webhooks/default/secret') return { status: 200, body: { key: secret } };
    if (path === '/v1/files') {
      return { status: 201, body: { id: 'f1', urls: { get: `http://${request.headers.host}/v1/files/f1` } } };
    }
    if (path.startsWith('/v1/files/')) return { status: 200, body: file };
    if (method === 'POST' && path.endsWith('/predictions')) {
      const id = `p${created.length + 1}`;
      created.push(id);
      pollCounts.set(id, 0);
      return { status: 201, body: present(id, { status: 'starting' }) };
    }
    const [, id = '', tail = ''] = /\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const pollCount = pollCounts.get(id);
    if (pollCount === undefined)
      return { status: 404, body: { detail: 'The requested resource could not be found.' } };
    if (tail === '/cancel' && pollCount < state.polls) pollCountAtCancel.set(id, pollCount);
    const cancelPollCount = pollCountAtCancel.get(id);
    if (cancelPollCount !== undefined) {
      // Replicate bills only predictions that started.
      const metrics = cancelPollCount <= state.startingPolls ? {} : { predict_time: 1 };
      return { status: 200, body: present(id, { status: 'canceled', output: null, metrics }) };
    }
    if (tail === '/cancel') return { status: 200, body: present(id, state.end) };
    pollCounts.set(id, pollCount + 1);
    if (pollCount >= state.polls) return { status: 200, body: present(id, state.end) };
    return {
      status: 200,
      body: present(id, {
        status: pollCount < state.startingPolls ? 'starting' : 'processing',
        output: null,
        logs: PROGRESS_LOG,
      }),
    };
  };
  return Object.assign(await startDouble(respond), { state, created });
}

function present(id: string, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const baseUrl = `https://api.replicate.com/v1/predictions/${id}`;
  const urls = { get: baseUrl, cancel: `${baseUrl}/cancel` };
  const defaults = {
    model: 'owner/name',
    version: 'hidden',
    input: {},
    source: 'api',
    created_at: CREATED_AT,
    urls,
  };
  return {
    id,
    ...defaults,
    error: null,
    logs: '',
    data_removed: false,
    metrics: { predict_time: 1 },
    ...fields,
  };
}
