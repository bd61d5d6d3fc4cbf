// Starts a double of fal's queue. Like fal, it returns URLs of the public address, and ends failed requests as COMPLETED.
import { createHash, type KeyObject, randomUUID, sign } from 'node:crypto';
import { plainImage } from '../media/pixels.ts';
import { type Double, type ReceivedRequest, type Reply, startDouble } from './double.ts';

export interface FalDouble extends Double {
  /** The number of polls until a request ends. */
  polls: number;
  /** The listed models. */
  models: readonly Record<string, unknown>[];
  /** The page size of the model list. */
  pageSize: number;
  /** The maximum number of models in a request for models with schemas. */
  maxPageSizeWithSchemas: number;
  prices: readonly Record<string, unknown>[];
  result: Reply;
  /** Replaces `result` for the models at these paths. */
  readonly results: Map<string, Reply>;
  /** The published signing keys. */
  keys: readonly object[];
  /** Uploaded bytes by upload URL. */
  readonly uploads: ReadonlyMap<string, { readonly bytes: Buffer; readonly key: string | undefined }>;
  /** The valid API keys. */
  apiKeys: Set<string>;
  /** The ids of accepted requests. */
  readonly accepted: string[];
  /** The ids in cancel requests. */
  readonly cancelled: string[];
  /** Whether requests continue after a cancel request. */
  ignoresCancel: boolean;
  /** Forgets all requests. */
  forget(): void;
}

/** Starts a double whose models return a small image. */
export async function startImageFal(): Promise<FalDouble> {
  const fal = await startFal(await plainImage(8, 8, '#336699'));
  fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
  return fal;
}

const PUBLIC_ORIGIN = 'https://queue.fal.run';

export async function startFal(file: Buffer): Promise<FalDouble> {
  const pollCounts = new Map<string, number>();
  const paths = new Map<string, string>();
  const cancelledIds = new Set<string>();
  const uploads = new Map<string, { readonly bytes: Buffer; readonly key: string | undefined }>();
  const state = {
    polls: 2,
    models: [] as readonly Record<string, unknown>[],
    pageSize: 2,
    maxPageSizeWithSchemas: 10,
    prices: [] as readonly Record<string, unknown>[],
    result: { status: 200, body: {} } as Reply,
    results: new Map<string, Reply>(),
    keys: [] as readonly object[],
    apiKeys: new Set(['fal-key']),
    accepted: [] as string[],
    cancelled: [] as string[],
    ignoresCancel: false,
    uploads,
    forget: () => pollCounts.clear(),
  };
  const respond = (request: ReceivedRequest): Reply => {
    const path = request.path.split('?')[0] ?? '';
    if (path === '/.well-known/jwks.json') return { status: 200, body: { keys: state.keys } };
    if (path.startsWith('/files/')) return { status: 200, body: file };
    if (path.startsWith('/signed/')) {
      uploads.set(path, { bytes: request.body, key: request.headers.authorization });
      return { status: 200 };
    }
    if (!state.apiKeys.has(String(request.headers.authorization).replace('Key ', '')))
      return { status: 401, body: { detail: 'Cannot access' } };
    const query = new URLSearchParams(request.path.split('?')[1]);
    if (path === '/v1/models') return listModels(state, query);
    if (path === '/v1/models/pricing') return listPrices(state.prices, query.getAll('endpoint_id'));
    if (path === '/storage/upload/initiate') {
      const origin = `http://${request.headers.host}`;
      const name = `${uploads.size}-${String(request.json.file_name)}`;
      return {
        status: 200,
        body: { file_url: `${origin}/stored/${name}`, upload_url: `${origin}/signed/${name}` },
      };
    }
    const [, id = '', tail = ''] = /\/requests\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
    if (id === '') return accept(path);
    const pollCount = pollCounts.get(id);
    if (tail === '/cancel') return cancel(id, pollCount);
    if (pollCount === undefined) return { status: 404, body: { detail: 'Request not found' } };
    return tail === '/status' ? getStatus(id, pollCount, path) : getResult(id, pollCount);
  };
  const accept = (path: string): Reply => {
    const id = `req-${state.accepted.length + 1}`;
    state.accepted.push(id);
    pollCounts.set(id, 0);
    cancelledIds.delete(id);
    paths.set(id, path);
    // The URLs contain owner and app only, not the path below them.
    const requestPath = `${PUBLIC_ORIGIN}${path.split('/').slice(0, 3).join('/')}/requests/${id}`;
    const body = { request_id: id, ...toUrls(requestPath) };
    return { status: 200, body: { status: 'IN_QUEUE', queue_position: 0, ...body } };
  };
  const getStatus = (id: string, pollCount: number, path: string): Reply => {
    pollCounts.set(id, pollCount + 1);
    if (cancelledIds.has(id)) return { status: 200, body: { status: 'COMPLETED', logs: [], metrics: {} } };
    const body = { request_id: id, ...toUrls(PUBLIC_ORIGIN + path.replace(/\/status$/, '')) };
    if (pollCount === 0 && state.polls > 0)
      return { status: 202, body: { status: 'IN_QUEUE', queue_position: 1, ...body } };
    if (pollCount < state.polls) return { status: 202, body: { status: 'IN_PROGRESS', logs: [], ...body } };
    const metrics = { inference_time: 1 };
    return { status: 200, body: { status: 'COMPLETED', logs: [], metrics, ...body } };
  };
  const getResult = (id: string, pollCount: number): Reply => {
    if (cancelledIds.has(id)) return CANCELLED;
    if (pollCount < state.polls) return { status: 400, body: { detail: 'Request is still in progress' } };
    return state.results.get(paths.get(id) ?? '') ?? state.result;
  };
  const cancel = (id: string, pollCount: number | undefined): Reply => {
    state.cancelled.push(id);
    if (pollCount === undefined) return { status: 404, body: { status: 'NOT_FOUND' } };
    if (pollCount > state.polls && !cancelledIds.has(id))
      return { status: 400, body: { status: 'ALREADY_COMPLETED' } };
    if (!state.ignoresCancel) cancelledIds.add(id);
    return { status: 202, body: { status: 'CANCELLATION_REQUESTED' } };
  };
  const double = Object.assign(await startDouble(respond), state);
  // `respond` reads the properties that tests set on the double.
  return new Proxy(double, {
    set: (target, name, value) => Reflect.set(state, name, value) && Reflect.set(target, name, value),
  });
}

const CANCELLED: Reply = {
  status: 499,
  headers: { 'x-fal-error-type': 'client_cancelled' },
  body: { detail: 'Request was cancelled', error_type: 'client_cancelled' },
};

const toUrls = (requestUrl: string) => ({
  response_url: requestUrl,
  status_url: `${requestUrl}/status`,
  cancel_url: `${requestUrl}/cancel`,
});

/** Responds with an error if one of the prices is unknown, as fal does. */
function listPrices(all: FalDouble['prices'], ids: readonly string[]): Reply {
  const prices = all.filter(({ endpoint_id }) => ids.includes(String(endpoint_id)));
  if (prices.length === ids.length) return { status: 200, body: { prices, has_more: false } };
  return { status: 404, body: { error: { type: 'not_found', message: 'Pricing not found' } } };
}

function listModels(
  {
    models,
    pageSize,
    maxPageSizeWithSchemas,
  }: Pick<FalDouble, 'models' | 'pageSize' | 'maxPageSizeWithSchemas'>,
  query: URLSearchParams,
): Reply {
  const limit = Number(query.get('limit') ?? 50);
  const maxLimit = query.has('expand') ? maxPageSizeWithSchemas : 100;
  if (limit > maxLimit) {
    const message = `Requested limit ${limit} exceeds maximum of ${maxLimit} for this query`;
    return { status: 400, body: { error: { type: 'validation_error', message } } };
  }
  const ids = query.getAll('endpoint_id');
  const words = query.get('q') ?? '';
  const matching = models
    .filter(({ endpoint_id }) => ids.length === 0 || ids.includes(String(endpoint_id)))
    .filter(({ endpoint_id }) => String(endpoint_id).includes(words));
  if (ids.length > 0 && matching.length < ids.length)
    return { status: 404, body: { error: { type: 'not_found' } } };
  const start = Number(query.get('cursor') ?? 0);
  const end = start + Math.min(pageSize, limit);
  const hasMore = end < matching.length;
  const page = matching.slice(start, end);
  const rows = query.get('expand') === null ? page.map(({ openapi: _, ...row }) => row) : page;
  return {
    status: 200,
    body: { models: rows, has_more: hasMore, next_cursor: hasMore ? String(end) : null },
  };
}

/** Returns the headers with which fal sends this body at this time. */
export function signFalCallback(body: string, key: KeyObject, atMs = Date.now()): Record<string, string> {
  const [requestId, userId, timestamp] = [randomUUID(), 'person', String(Math.floor(atMs / 1000))];
  const digest = createHash('sha256').update(body).digest('hex');
  const signature = sign(null, Buffer.from([requestId, userId, timestamp, digest].join('\n')), key);
  return {
    'content-type': 'application/json',
    'x-fal-webhook-request-id': requestId,
    'x-fal-webhook-user-id': userId,
    'x-fal-webhook-timestamp': timestamp,
    'x-fal-webhook-signature': signature.toString('hex'),
  };
}
