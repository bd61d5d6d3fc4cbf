// Sends requests to every operation with a JSON response, and provokes errors.
import { uploadPicture } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import type { Receiver } from '../../support/network/receiver.ts';
import { tourApps, tourPaidApp } from './tour-apps.ts';
import { tourAutomations } from './tour-automations.ts';
import { tourBatches } from './tour-batches.ts';
import { tourComponents } from './tour-components.ts';
import { tourNotices } from './tour-notices.ts';
import { tourTriggers } from './tour-triggers.ts';

export interface TourResponse {
  readonly status: number;
  readonly body: Record<string, never> & { readonly id: string };
  /** The cookie that the response set, as `name=value`, or an empty string. */
  readonly cookie: string;
}

/** Sends a request. `who` names the key, by default the administrator's. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  more?: { readonly headers?: Readonly<Record<string, string>>; readonly who?: string },
) => Promise<TourResponse>;

/** Whether the background work of a response is done: of an execution and of a render. */
export interface Settling {
  readonly finishedAt?: string | null;
  readonly status?: string;
  readonly counts?: { readonly running: number };
  readonly webhook?: { readonly state: string } | null;
  readonly data?: { readonly finishedAt: string | null };
}

export interface TourContext {
  readonly ask: Ask;
  /** Registers a key under a name. */
  readonly addKey: (name: string, key: string) => void;
  readonly graph: { readonly nodes: readonly object[]; readonly edges: readonly object[] };
  readonly receiver: Receiver;
  /** Authorizes an application as the administrator and returns the id of the connection. */
  readonly authorize: () => Promise<string>;
  /** Requests the path, unrecorded, until the response is as expected. */
  readonly until: (path: string, isSettled: (body: Settling) => boolean) => Promise<void>;
}

const V1 = '/api/v1';
const NOBODY = '01jd8x3k5m7p9r1t3v5w7y9z0b';

export async function tour(context: TourContext): Promise<void> {
  await tourAccounts(context);
  await tourSessions(context);
  await tourCredentials(context);
  const workflowId = await tourWorkflows(context);
  await tourComponents(context, workflowId);
  await tourRuns(context, workflowId);
  await tourBatches(context, workflowId);
  await tourAutomations(context, workflowId);
  await tourApps(context);
  await tourTriggers(context, workflowId);
  await tourMedia(context);
  await tourRenders(context);
  await tourContent(context);
  await tourRefusals(context, workflowId);
  await tourPaidRuns(context);
  await tourLimits(context);
}

async function tourCredentials({ ask, graph }: TourContext): Promise<void> {
  const stored = await ask('POST', `${V1}/credentials`, {
    kind: 'openai',
    name: 'Studio key',
    owner: 'workspace',
    values: { apiKey: 'sk-studio-0123456789' },
    dailyUsdLimit: 20,
  });
  const path = `${V1}/credentials/${stored.body.id}`;
  await ask('GET', `${V1}/credentials`);
  await ask('GET', path);
  await ask('PATCH', path, { name: 'Studio key, renewed', values: { apiKey: 'sk-studio-9876543210' } });
  // Nothing listens there.
  const values = { baseUrl: 'http://127.0.0.1:9' };
  await ask('POST', `${V1}/credentials/test`, { kind: 'comfyui', values });
  const other = { kind: 'comfyui', name: 'Render box', owner: 'workspace', values };
  const { id: otherId } = (await ask('POST', `${V1}/credentials`, other)).body;
  await ask('POST', `${V1}/credentials/${otherId}/test`);
  const { id: workflowId } = (await ask('POST', `${V1}/workflows`, { name: 'Poster', ...graph })).body;
  await ask('PUT', `${V1}/workflows/${workflowId}/credentials`, { openai: stored.body.id });
  await ask('GET', `${V1}/workflows/${workflowId}/credentials`);
  await ask('GET', `${path}/uses`);
  await ask('DELETE', path);
  await ask('DELETE', `${path}?force=true`);
}

async function tourAccounts({ ask, addKey, authorize, graph, receiver }: TourContext): Promise<void> {
  await ask('GET', `${V1}/me`);
  const user = await ask('POST', `${V1}/admin/users`, {
    email: 'ada@example.com',
    name: 'Ada',
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
  });
  const { userId, apiKey } = user.body as unknown as { userId: number; apiKey: string };
  addKey('ada', apiKey);
  await ask('GET', `${V1}/admin/users`);
  await ask('GET', `${V1}/admin/users/${userId}`);
  await ask('PATCH', `${V1}/admin/users/${userId}`, { plan: 'enterprise' });
  await ask('POST', `${V1}/admin/credits`, { userId, amount: 5, note: 'Welcome' });
  await ask('POST', `${V1}/admin/users`, { email: 'ada@example.com', name: 'Ada' });
  const { id: keyId } = (await ask('POST', `${V1}/keys`, { name: 'Nightly', scopes: ['workflows:read'] }))
    .body;
  await ask('GET', `${V1}/keys`);
  await ask('GET', `${V1}/keys/${keyId}`);
  await ask('PATCH', `${V1}/keys/${keyId}`, { name: 'Hourly' });
  await ask('DELETE', `${V1}/keys/${keyId}`);
  const connection = await authorize();
  await ask('GET', `${V1}/connections`);
  await ask('DELETE', `${V1}/connections/${connection}`);
  const { id: team } = (await ask('POST', `${V1}/teams`, { name: 'Studio' })).body;
  await ask('GET', `${V1}/teams`);
  await ask('GET', `${V1}/teams/${team}`);
  await ask('PATCH', `${V1}/teams/${team}`, { name: 'Studio North' });
  const joining = await ask('POST', `${V1}/teams/${team}/members`, {
    email: 'ada@example.com',
    role: 'EDITOR',
  });
  await ask('POST', `${V1}/invitations/${joining.body.id}/accept`, undefined, { who: 'ada' });
  await ask('GET', `${V1}/teams/${team}/members`);
  await ask('GET', `${V1}/teams/${team}/members/${userId}`);
  await ask('PATCH', `${V1}/teams/${team}/members/${userId}`, { role: 'VIEWER' });
  await ask('DELETE', `${V1}/teams/${team}/members/${userId}`);
  await ask('PATCH', `${V1}/teams/${team}/members/1`, { role: 'VIEWER' });
  const invitations = `${V1}/teams/${team}/invitations`;
  for (const [response, method] of [
    ['accept', 'POST'],
    ['', 'DELETE'],
  ] as const) {
    const { id } = (await ask('POST', invitations, { email: 'ada@example.com', role: 'EDITOR' })).body;
    await ask('GET', invitations);
    await ask('GET', `${invitations}/${id}`);
    await ask('GET', `${V1}/invitations`, undefined, { who: 'ada' });
    await ask('GET', `${V1}/invitations/${id}`, undefined, { who: 'ada' });
    await ask(method, `${V1}/invitations/${id}/${response}`.replace(/\/$/, ''), undefined, { who: 'ada' });
    await ask('DELETE', `${V1}/teams/${team}/members/${userId}`);
  }
  const { id: invited } = (await ask('POST', invitations, { email: 'ida@example.com', role: 'VIEWER' })).body;
  await ask('GET', `${V1}/invitations/${invited}`, undefined, { who: 'ada' });
  await ask('DELETE', `${invitations}/${invited}`);
  await ask('PATCH', `${V1}/me`, { name: 'Ana North' });
  await ask('PUT', `${V1}/me/workspace`, { teamId: team });
  await ask('PUT', `${V1}/me/workspace`, { teamId: null });
  const { id: folder } = (await ask('POST', `${V1}/folders`, { name: 'Drafts' })).body;
  const { id: inner } = (await ask('POST', `${V1}/folders`, { name: 'Old', parentId: folder })).body;
  await ask('GET', `${V1}/folders`);
  await ask('GET', `${V1}/folders/${folder}`);
  await ask('PATCH', `${V1}/folders/${folder}`, { name: 'Ideas' });
  await ask('PATCH', `${V1}/folders/${folder}`, { parentId: inner });
  await ask('DELETE', `${V1}/folders/${folder}`);
  await ask('DELETE', `${V1}/folders/${inner}`);
  const theirs = (await ask('POST', `${V1}/folders`, { name: 'Theirs', teamId: team })).body.id;
  await ask('POST', `${V1}/workflows`, { name: 'W', ...graph, folderId: theirs });
  const moved = `${V1}/workflows/${(await ask('POST', `${V1}/workflows`, { name: 'W', ...graph })).body.id}`;
  await ask('PUT', moved, { folderId: theirs });
  await ask('GET', `${V1}/admin/teams`);
  const budgets = `${V1}/admin/teams/${team}/budgets`;
  await ask('GET', budgets);
  await ask('PUT', `${V1}/admin/teams/${team}/budget`, { dailyCreditBudget: 1000 });
  await ask('PUT', `${budgets}/${moved.split('/').at(-1)}`, { dailyCreditBudget: 100 });
  await ask('DELETE', `${V1}/teams/${team}`);
  await ask('DELETE', moved);
  await ask('DELETE', `${V1}/folders/${theirs}`);
  await ask('DELETE', `${V1}/teams/${team}`);
  await ask('GET', `${V1}/credits`);
  await ask('GET', `${V1}/credits/spending?days=2`);
  await ask('GET', `${V1}/admin/credits?userId=${userId}`);
  for (const part of ['plans', 'providers', 'workload', 'overview', 'backup', 'failures'])
    await ask('GET', `${V1}/admin/${part}`);
  await ask('POST', `${V1}/admin/backup`);
  await ask('GET', `${V1}/workspace/failures`);
  const { revision } = (await ask('GET', `${V1}/admin/models`)).body;
  await ask('POST', `${V1}/admin/models`, { revision, models: [] });
  receiver.answer(res => res.writeHead(200).end(JSON.stringify({ data: [{ id: 'llama3.2' }] })));
  await ask('GET', `${V1}/admin/models/offers?provider=openai&query=llama`);
  const wish = { provider: 'openai', endpoints: ['llama3.2'] };
  await ask('POST', `${V1}/admin/models/plan`, wish);
  receiver.answer(res => res.writeHead(204).end());
  for (const path of ['/healthz', '/readyz', `${V1}/nodes`, `${V1}/models`]) await ask('GET', path);
}

const getToken = ({ body }: TourResponse): string | undefined =>
  (body as unknown as { url: string }).url.split('#')[1];

async function tourSessions({ ask }: TourContext): Promise<void> {
  await ask('GET', `${V1}/auth/methods`);
  const setup = await ask('POST', `${V1}/admin/password-links`, { kind: 'setup' });
  const owner = { email: 'owner@example.com', name: 'Olu', password: 'an owner to remember' };
  await ask('POST', `${V1}/auth/setup`, { token: getToken(setup), ...owner }, { who: 'nobody' });
  const email = 'grace@example.com';
  const [password, next] = ['correct horse battery', 'a password to remember'];
  const nobody = { who: 'nobody' };
  await ask('POST', `${V1}/admin/users`, { email, name: 'Grace', plan: 'enterprise', invite: true });
  const link = await ask('POST', `${V1}/admin/password-links`, { kind: 'reset', email });
  const token = getToken(link);
  const invited = await ask('POST', `${V1}/auth/accept-invite`, { token, password }, nobody);
  await ask('POST', `${V1}/auth/accept-invite`, { token, password }, nobody);
  await ask('POST', `${V1}/auth/sign-in`, { email, password: 'a wrong one' }, nobody);
  const browser = (cookie: string) => ({ ...nobody, headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  const first = browser(invited.cookie);
  await ask('POST', `${V1}/auth/reauthenticate`, { password }, first);
  await ask('POST', `${V1}/auth/password`, { current: password, next }, first);
  const signedIn = browser(
    (await ask('POST', `${V1}/auth/sign-in`, { email, password: next }, nobody)).cookie,
  );
  await ask('GET', `${V1}/auth/session`, undefined, signedIn);
  const sessions = (await ask('GET', `${V1}/auth/sessions`, undefined, signedIn)).body as unknown as {
    data: { id: string; current: boolean }[];
  };
  const other = sessions.data.find(({ current }) => !current);
  await ask('DELETE', `${V1}/auth/sessions/${other?.id}`, undefined, signedIn);
  const elsewhere = { ...nobody, headers: { cookie: signedIn.headers.cookie } };
  await ask('POST', `${V1}/folders`, { name: 'Theirs' }, elsewhere);
  await ask('POST', `${V1}/auth/sign-out`, undefined, signedIn);
}

async function tourWorkflows({ ask, graph }: TourContext): Promise<string> {
  const { id } = (await ask('POST', `${V1}/workflows`, { name: 'Postcard', tags: ['example'], ...graph }))
    .body;
  const at = `${V1}/workflows/${id}`;
  await ask('GET', `${V1}/workflows?limit=2`);
  await ask('GET', at);
  await ask('PUT', at, { description: 'A place becomes a postcard.' });
  await ask('PUT', at, { name: 'X' }, { headers: { 'if-match': '"old"' } });
  await ask('PUT', at, { isPublished: true });
  // Import does not accept the export time.
  const { exportedAt: _, ...file } = (await ask('GET', `${at}/export`)).body as Record<string, unknown>;
  await ask('POST', `${V1}/workflows/import`, file);
  await ask('POST', `${V1}/workflows/lint`, graph);
  await ask('POST', `${at}/lint`, {});
  await ask('POST', `${at}/layout`, {});
  await ask('POST', `${at}/heartbeat`);
  await ask('PUT', `${at}/selection`, { nodeIds: ['place'] });
  await ask('POST', `${at}/visibility`, { linkPermission: 'VIEW' });
  await ask('POST', `${at}/publish`, { isPublished: true, slug: 'postcard', settings: { isTemplate: true } });
  await ask('PUT', `${at}/budget`, { dailyCreditBudget: 100 });
  await ask('GET', `${V1}/credits/budgets`);
  const copy = (await ask('POST', `${at}/duplicate`, {})).body.id;
  await ask('POST', `${V1}/workflows/${copy}/publish`, { isPublished: true, slug: 'postcard' });
  await ask('GET', `${at}/versions`);
  await ask('GET', `${at}/versions/1`);
  await ask('POST', `${at}/versions/1/restore`);
  await ask('PUT', `${at}/permissions`, { email: 'ada@example.com', role: 'VIEW' });
  await ask('GET', `${at}/permissions`);
  await ask('DELETE', `${at}/permissions/ada%40example.com`);
  await ask('GET', `${V1}/templates?limit=2`);
  await ask('GET', `${V1}/templates/tpl_make-a-picture`);
  const started = (await ask('POST', `${V1}/templates/tpl_make-a-picture/duplicate`, { name: 'My picture' }))
    .body.id;
  await ask('POST', `${V1}/workflows/${started}/run`, {});
  await ask('POST', `${at}/run`, { useSample: true });
  await ask('GET', `${V1}/published/postcard`);
  await ask('DELETE', `${V1}/workflows/${copy}`);
  await ask('POST', `${V1}/workflows/${copy}/restore`);
  await ask('DELETE', `${V1}/workflows/${copy}`);
  await ask('POST', `${V1}/admin/workflows/${copy}/restore`);
  return id;
}

async function tourRuns({ ask, until, receiver }: TourContext, workflowId: string): Promise<void> {
  const at = `${V1}/workflows/${workflowId}`;
  await ask('POST', `${at}/estimate`, {});
  const body = { inputs: { place: 'Lisbon' }, webhook: { url: receiver.url, secret: 'hunter2' } };
  const keyed = { headers: { 'idempotency-key': 'order-1042' } };
  const run = (await ask('POST', `${at}/run`, body, keyed)).body as unknown as { executionId: string };
  await ask('POST', `${at}/run`, { inputs: { place: 'Porto' } }, keyed);
  await ask('POST', `${at}/execute`, {});
  await ask('POST', `${at}/run`, {}, { headers: { prefer: 'wait=20' } });
  await ask('POST', `${at}/execute`, {}, { headers: { prefer: 'wait=20' } });
  const ex = `${V1}/executions/${run.executionId}`;
  await until(ex, ({ webhook }) => webhook?.state === 'delivered');
  await ask('GET', ex);
  await ask('GET', `${ex}/workflow`);
  await ask('GET', `${ex}/outputs/prompt`);
  await ask('GET', `${V1}/executions?limit=2`);
  await ask('GET', `${V1}/workspace/executions?limit=2`);
  await ask('GET', `${V1}/admin/executions?limit=2`);
  await ask('GET', `${at}/executions?limit=2`);
  await ask('GET', `${at}/results`);
  await ask('POST', `${ex}/cancel`);
  await ask('POST', `${ex}/resume`, {});
  const again = (await ask('POST', `${ex}/resume`, { fromNodeId: 'prompt' })).body as unknown as {
    executionId: string;
  };
  await until(`${V1}/executions/${again.executionId}`, ({ finishedAt }) => finishedAt !== null);
  await ask('POST', `${ex}/resume`, { fromNodeId: 'prompt' }, { headers: { prefer: 'wait=20' } });
  const { data } = (await ask('GET', `${ex}/deliveries`)).body as unknown as { data: { id: string }[] };
  // Responds late, so that the repeated request arrives while the first one is in progress.
  receiver.answer(res => setTimeout(() => res.writeHead(204).end(), 1_000));
  await ask('POST', `${ex}/deliveries/${data[0]?.id}/redeliver`);
  receiver.answer(res => res.writeHead(204).end());
  await ask('POST', `${V1}/webhooks/test`, { url: receiver.url, secret: 'hunter2' });
  await ask('DELETE', `${V1}/executions/${again.executionId}`);
}

async function tourMedia({ ask }: TourContext): Promise<void> {
  const request = (async (method: string, path: string, body?: unknown) =>
    ask(method, `${V1}${path}`, body)) as never;
  const { mediaId, url } = await uploadPicture({ request });
  await ask('GET', new URL(url).pathname, undefined, { headers: { range: 'bytes=99999999-' } });
  const picture = (id: string) => ({
    ...{ id, type: 'basedNode', position: { x: 0, y: 0 } },
    data: { label: 'P', category: 'input', nodeType: 'input:image', config: { mediaId } },
  });
  const { id: user } = (await ask('POST', `${V1}/workflows`, { name: 'U', nodes: [picture('p')], edges: [] }))
    .body;
  await ask('DELETE', `${V1}/media/${mediaId}`);
  await ask('DELETE', `${V1}/workflows/${user}`);
  await ask('GET', `${V1}/media`);
  await ask('GET', `${V1}/media/${mediaId}`);
  await ask('GET', `${V1}/media/${mediaId}/uses`);
  await ask('DELETE', `${V1}/media/${mediaId}`);
  const bytes = await noiseImage(4, 4, 'png');
  const minted = (
    await ask('POST', `${V1}/media/upload-url`, {
      contentType: 'image/png',
      bytes: bytes.length,
      filename: 'a.png',
    })
  ).body as unknown as { uploadUrl: string; headers: Record<string, string>; mediaId: string };
  await fetch(minted.uploadUrl, { method: 'PUT', headers: minted.headers, body: new Uint8Array(bytes) });
  await ask('POST', `${V1}/media/upload-url/complete`, { mediaId: minted.mediaId });
  const upload = (type: string, content: string | Buffer) =>
    ask('POST', `${V1}/media/upload`, {
      dataUrl: `data:${type};base64,${Buffer.from(content).toString('base64')}`,
    });
  await upload('image/tiff', 'x');
  await upload('image/png', '');
  await upload('image/svg+xml', '<html/>');
  await upload(
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(70)}${'</g>'.repeat(70)}</svg>`,
  );
  await upload('image/png', Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(20)]));
  await ask('POST', `${V1}/media/upload`, { url: 'http://127.0.0.1:9/a.png' });
  await ask('POST', `${V1}/media/upload-url`, { contentType: 'image/png', bytes: 0, filename: 'a.png' });
  await ask('POST', `${V1}/media/upload-url`, {
    contentType: 'image/png',
    bytes: 99_000_000,
    filename: 'a.png',
  });
  await ask('POST', `${V1}/media/upload-url/complete`, { mediaId: 7 });
  await ask('POST', `${V1}/media/upload-url/complete`, { mediaId: `med_${NOBODY}` });
}

async function tourRenders({ ask, until }: TourContext): Promise<void> {
  await ask('GET', `${V1}/renderer/scene-graph?include=doc`);
  await ask('GET', `${V1}/renderer/templates`);
  await ask('GET', `${V1}/renderer/templates/quote-card`);
  const still = { templateId: 'quote-card', props: { quote: 'Less.' }, scale: 0.1 };
  await ask('POST', `${V1}/render/renderer/preview`, { ...still, frames: [1], format: 'webp' });
  await ask('POST', `${V1}/render/renderer/preview`, { sceneGraph: {} });
  const clip = (
    await ask('POST', `${V1}/render/renderer/preview`, { ...still, format: 'mp4', range: [0, 2] })
  ).body;
  const { renderId } = (clip as unknown as { data: { renderId: string } }).data;
  await until(`${V1}/render/renderer/${renderId}`, ({ data }) => data?.finishedAt !== null);
  await ask('GET', `${V1}/render/renderer/${renderId}`);
  await ask('POST', `${V1}/render/renderer/${renderId}/cancel`);
}

async function tourContent({ ask }: TourContext): Promise<void> {
  const page = { slug: 'postcards', title: 'Postcards', type: 'FEATURE', isPublished: true };
  const as = { who: 'content' };
  await ask('POST', '/api/content/webhook', page, as);
  await ask('POST', '/api/content/webhook', { ...page, slug: 'other' }, as);
  await ask('PATCH', `${V1}/admin/users/1`, { isAuthor: false });
  await ask('POST', '/api/content/webhook', { ...page, slug: 'more', title: 'More' }, as);
  await ask('PATCH', `${V1}/admin/users/1`, { isAuthor: true });
  await ask('PUT', '/api/content/webhook', { slug: 'postcards', subtitle: 'From everywhere' }, as);
}

async function tourRefusals({ ask }: TourContext, workflowId: string): Promise<void> {
  const at = `${V1}/workflows/${workflowId}`;
  await ask('GET', `${V1}/executions/ex_${NOBODY}`);
  await ask('GET', `${V1}/workflows`, undefined, { who: 'nobody' });
  await ask('GET', `${V1}/workflows`, undefined, { who: 'wrong' });
  await ask('GET', `${V1}/admin/users`, undefined, { who: 'ada' });
  await ask('PUT', at, { name: 'Mine' }, { who: 'ada' });
  await ask('POST', `${V1}/workflows`, { name: 7 });
  await ask('POST', `${V1}/workflows`, 'broken', { headers: { 'x-raw': 'json' } });
  await ask('POST', `${V1}/workflows`, 'text', { headers: { 'x-raw': 'text' } });
  await ask('POST', `${V1}/workflows`, 'x'.repeat(4_300_000), { headers: { 'x-raw': 'json' } });
  await ask('POST', `${V1}/workflows`, { name: 'W', nodes: [{ id: 'a' }], edges: [] });
  await ask('POST', `${at}/run`, { inputs: { nowhere: 1 } });
  await ask('POST', `${at}/run`, { webhook: { url: 'ftp://x' } });
  await ask('PUT', at, { isActive: false });
  await ask('POST', `${at}/run`, {});
  await ask('PUT', at, { isActive: true });
  const merge = { type: 'basedNode', data: { label: 'M', category: 'logic', nodeType: 'logic:delay' } };
  const nodes = ['a', 'b'].map((id, at) => ({ id, position: { x: at * 400, y: 0 }, ...merge }));
  const edges = [
    ['a', 'b'],
    ['b', 'a'],
  ].map(([source, target]) => ({
    id: `${source}${target}`,
    source,
    target,
    sourceHandle: 'out-output',
    targetHandle: 'in-input',
  }));
  const { id: round } = (await ask('POST', `${V1}/workflows`, { name: 'Round', nodes, edges })).body;
  await ask('POST', `${V1}/workflows/${round}/run`, {});
  const many = Array.from({ length: 251 }, (_, at) => ({
    id: `n${at}`,
    position: { x: at * 300, y: 0 },
    ...merge,
  }));
  const { id: large } = (await ask('POST', `${V1}/workflows`, { name: 'Large', nodes: many, edges: [] }))
    .body;
  await ask('POST', `${V1}/workflows/${large}/layout`, {});
}

async function tourPaidRuns({ ask, addKey, until }: TourContext): Promise<void> {
  const config = { prompt: 'A fox', maxCredits: 10 };
  const model = { nodeType: 'generate:openai_gpt_image', config };
  const node = { id: 'm', position: { x: 0, y: 0 }, data: { label: 'M', category: 'model', ...model } };
  const graph = { name: 'Fox', nodes: [{ ...node, type: 'basedNode' }], edges: [] };
  const at = `${V1}/workflows/${(await ask('POST', `${V1}/workflows`, graph)).body.id}`;
  await ask('POST', `${at}/run`, { maxCredits: 0 });
  await tourNotices({ ask, until }, at);
  await tourPaidApp({ ask }, at);
  await ask('PUT', `${at}/budget`, { dailyCreditBudget: 0 });
  await ask('POST', `${at}/run`, {});
  const poor = {
    email: 'poor@example.com',
    name: 'Poor',
    keyScopes: ['workflows:write', 'workflows:execute'],
  };
  const { apiKey } = (await ask('POST', `${V1}/admin/users`, poor)).body as unknown as { apiKey: string };
  addKey('poor', apiKey);
  const speech = { nodeType: 'utility:speech', config: { engine: 'openai', text: 'A fox.' } };
  const spoken = { ...node, data: { label: 'S', category: 'utility', ...speech }, type: 'basedNode' };
  // The first model has no price, and the credits do not cover the second one.
  for (const nodes of [graph.nodes, [spoken]]) {
    const own = (await ask('POST', `${V1}/workflows`, { ...graph, nodes }, { who: 'poor' })).body.id;
    await ask('POST', `${V1}/workflows/${own}/run`, {}, { who: 'poor' });
  }
}

async function tourLimits({ ask, addKey }: TourContext): Promise<void> {
  const model = { nodeType: 'generate:replicate_flux_pro', config: { prompt: 'A fox' } };
  const node = { id: 'm', position: { x: 0, y: 0 }, data: { label: 'M', category: 'model', ...model } };
  const graph = { nodes: [{ ...node, type: 'basedNode' }], edges: [] };
  const { id } = (await ask('POST', `${V1}/workflows`, { name: 'Paid', ...graph })).body;
  await ask('POST', `${V1}/workflows/${id}/run`, {});
  await ask('PUT', `${V1}/nodes`);
  await ask('GET', `${V1}/workflows/${'x'.repeat(1001)}`);
  await ask('GET', `${V1}/me`, undefined, { headers: { 'x-long': 'x'.repeat(20_000) } });
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  const brief = (await ask('POST', `${V1}/keys`, { name: 'Brief', scopes: ['workflows:read'], expiresAt }))
    .body;
  addKey('brief', (brief as unknown as { key: string }).key);
  const free = { email: 'free@example.com', name: 'Free', plan: 'free', keyScopes: ['workflows:write'] };
  const { apiKey } = (await ask('POST', `${V1}/admin/users`, free)).body as unknown as { apiKey: string };
  addKey('free', apiKey);
  for (let i = 0; i < 11; i++) await ask('GET', `${V1}/me`, undefined, { who: 'free' });
  const video = { contentType: 'video/mp4', bytes: 104_857_600, filename: 'a.mp4' };
  for (let i = 0; i < 103; i++) await ask('POST', `${V1}/media/upload-url`, video);
  await new Promise(resolve => setTimeout(resolve, Math.max(0, Date.parse(expiresAt) - Date.now()) + 50));
  await ask('GET', `${V1}/me`, undefined, { who: 'brief' });
}
