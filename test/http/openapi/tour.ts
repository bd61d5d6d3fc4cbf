// Sends requests to every operation with a JSON response, and provokes errors.
import { uploadPicture } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import type { Receiver } from '../../support/network/receiver.ts';
import { tourApprovals } from './tour-approvals.ts';
import { tourApps, tourPaidApp } from './tour-apps.ts';
import { tourBatches } from './tour-batches.ts';
import { tourComponents } from './tour-components.ts';
import { tourGroups } from './tour-groups.ts';
import { tourMoney } from './tour-money.ts';
import { tourNotices } from './tour-notices.ts';
import { tourSchedules } from './tour-schedules.ts';
import { tourSecondFactors } from './tour-second-factors.ts';
import { tourTriggers } from './tour-triggers.ts';

export interface TourResponse {
  readonly status: number;
  readonly body: Record<string, never> & { readonly id: string };
  /** The cookie that the response set, as `name=value`, or an empty string. */
  readonly cookie: string;
}

/** Sends a request with the key named `who` (default: `admin`). The header `x-raw` sends the body as unchanged text. */
export type SendRequest = (
  method: string,
  path: string,
  body?: unknown,
  options?: { readonly headers?: Readonly<Record<string, string>>; readonly who?: string },
) => Promise<TourResponse>;

/** The properties that show whether background work has ended. */
export interface PolledBody {
  readonly finishedAt?: string | null;
  readonly status?: string;
  readonly counts?: { readonly running: number };
  readonly webhook?: { readonly state: string } | null;
  readonly assignees?: readonly object[];
  readonly data?: { readonly finishedAt: string | null };
}

export interface TourContext {
  readonly send: SendRequest;
  /** The origin of the service's pages. */
  readonly origin: string;
  /** Registers a key under a name. */
  readonly addKey: (name: string, key: string) => void;
  readonly graph: { readonly nodes: readonly object[]; readonly edges: readonly object[] };
  readonly receiver: Receiver;
  /** Authorizes an application as the administrator and returns the id of the connection. */
  readonly authorize: () => Promise<string>;
  /** Requests the path until the response is as expected. Does not record the responses. */
  readonly waitFor: (path: string, isExpected: (body: PolledBody) => boolean) => Promise<void>;
}

const V1 = '/api/v1';
const UNKNOWN_ID = '01jd8x3k5m7p9r1t3v5w7y9z0b';

export async function tour(context: TourContext): Promise<void> {
  await tourAccounts(context);
  await tourSessions(context);
  await tourSecondFactors(context);
  await tourGroups(context);
  await tourCredentials(context);
  const workflowId = await tourWorkflows(context);
  await tourComponents(context, workflowId);
  await tourRuns(context, workflowId);
  await tourApprovals(context);
  await tourBatches(context, workflowId);
  await tourSchedules(context, workflowId);
  await tourApps(context);
  await tourTriggers(context, workflowId);
  await tourMedia(context);
  await tourRenders(context);
  await tourContent(context);
  await tourRejections(context, workflowId);
  await tourPaidRuns(context);
  await tourLimits(context);
}

async function tourCredentials({ send, graph }: TourContext): Promise<void> {
  const credential = await send('POST', `${V1}/credentials`, {
    kind: 'openai',
    name: 'Studio key',
    owner: 'workspace',
    values: { apiKey: 'sk-studio-0123456789' },
    dailyUsdLimit: 20,
  });
  const path = `${V1}/credentials/${credential.body.id}`;
  await send('GET', `${V1}/credentials`);
  await send('GET', path);
  await send('PATCH', path, { name: 'Studio key, renewed', values: { apiKey: 'sk-studio-9876543210' } });
  // No server listens at this address.
  const values = { baseUrl: 'http://127.0.0.1:9' };
  await send('POST', `${V1}/credentials/test`, { kind: 'comfyui', values });
  await send('POST', `${V1}/credentials/discover`, {});
  const otherProvider = { kind: 'comfyui', name: 'Render box', owner: 'workspace', values };
  const { id: otherId } = (await send('POST', `${V1}/credentials`, otherProvider)).body;
  await send('POST', `${V1}/credentials/${otherId}/test`);
  const { id: workflowId } = (await send('POST', `${V1}/workflows`, { name: 'Poster', ...graph })).body;
  await send('PUT', `${V1}/workflows/${workflowId}/credentials`, { openai: credential.body.id });
  await send('GET', `${V1}/workflows/${workflowId}/credentials`);
  await send('GET', `${path}/uses`);
  await send('DELETE', path);
  await send('DELETE', `${path}?force=true`);
}

async function tourAccounts({ send, addKey, authorize, graph, receiver }: TourContext): Promise<void> {
  await send('GET', `${V1}/me`);
  const user = await send('POST', `${V1}/admin/users`, {
    email: 'ada@example.com',
    name: 'Ada',
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
  });
  const { userId, apiKey } = user.body as unknown as { userId: number; apiKey: string };
  addKey('ada', apiKey);
  await send('GET', `${V1}/admin/users`);
  await send('GET', `${V1}/admin/users/${userId}`);
  const { userId: leavingId } = (
    await send('POST', `${V1}/admin/users`, { email: 'leaving@example.com', name: 'Leo' })
  ).body;
  await send('DELETE', `${V1}/admin/users/${leavingId}?transferTo=${userId}`);
  await send('PATCH', `${V1}/admin/users/${userId}`, { plan: 'enterprise' });
  await send('POST', `${V1}/admin/credits`, { userId, amount: 5, note: 'Welcome' });
  await send('POST', `${V1}/admin/users`, { email: 'ada@example.com', name: 'Ada' });
  const { id: keyId } = (await send('POST', `${V1}/keys`, { name: 'Nightly', scopes: ['workflows:read'] }))
    .body;
  await send('GET', `${V1}/keys`);
  await send('GET', `${V1}/keys/${keyId}`);
  await send('PATCH', `${V1}/keys/${keyId}`, { name: 'Hourly', monthlyCredits: 500 });
  await send('DELETE', `${V1}/keys/${keyId}`);
  const connection = await authorize();
  await send('GET', `${V1}/connections`);
  await send('DELETE', `${V1}/connections/${connection}`);
  const { id: teamId } = (await send('POST', `${V1}/teams`, { name: 'Studio' })).body;
  await send('GET', `${V1}/teams`);
  await send('GET', `${V1}/teams/${teamId}`);
  await send('PATCH', `${V1}/teams/${teamId}`, { name: 'Studio North' });
  const joinInvitation = await send('POST', `${V1}/teams/${teamId}/members`, {
    email: 'ada@example.com',
    role: 'EDITOR',
  });
  await send('POST', `${V1}/invitations/${joinInvitation.body.id}/accept`, undefined, { who: 'ada' });
  await send('GET', `${V1}/teams/${teamId}/members`);
  await send('GET', `${V1}/teams/${teamId}/members/${userId}`);
  await send('PUT', `${V1}/teams/${teamId}/members/${userId}/limit`, { monthlyCredits: 2000 });
  await send('PATCH', `${V1}/teams/${teamId}/members/${userId}`, { role: 'VIEWER' });
  await send('DELETE', `${V1}/teams/${teamId}/members/${userId}`);
  await send('PATCH', `${V1}/teams/${teamId}/members/1`, { role: 'VIEWER' });
  const invitations = `${V1}/teams/${teamId}/invitations`;
  for (const [action, method] of [
    ['accept', 'POST'],
    ['', 'DELETE'],
  ] as const) {
    const { id } = (await send('POST', invitations, { email: 'ada@example.com', role: 'EDITOR' })).body;
    await send('GET', invitations);
    await send('GET', `${invitations}/${id}`);
    await send('GET', `${V1}/invitations`, undefined, { who: 'ada' });
    await send('GET', `${V1}/invitations/${id}`, undefined, { who: 'ada' });
    await send(method, `${V1}/invitations/${id}/${action}`.replace(/\/$/, ''), undefined, { who: 'ada' });
    await send('DELETE', `${V1}/teams/${teamId}/members/${userId}`);
  }
  const { id: invitationId } = (await send('POST', invitations, { email: 'ida@example.com', role: 'VIEWER' }))
    .body;
  await send('GET', `${V1}/invitations/${invitationId}`, undefined, { who: 'ada' });
  await send('DELETE', `${invitations}/${invitationId}`);
  await send('PATCH', `${V1}/me`, { name: 'Ana North' });
  await send('PUT', `${V1}/me/workspace`, { teamId });
  await send('PUT', `${V1}/me/workspace`, { teamId: null });
  const { id: folder } = (await send('POST', `${V1}/folders`, { name: 'Drafts' })).body;
  const { id: inner } = (await send('POST', `${V1}/folders`, { name: 'Old', parentId: folder })).body;
  await send('GET', `${V1}/folders`);
  await send('GET', `${V1}/folders/${folder}`);
  await send('PATCH', `${V1}/folders/${folder}`, { name: 'Ideas' });
  await send('PATCH', `${V1}/folders/${folder}`, { parentId: inner });
  await send('DELETE', `${V1}/folders/${folder}`);
  await send('DELETE', `${V1}/folders/${inner}`);
  const teamFolder = (await send('POST', `${V1}/folders`, { name: 'Theirs', teamId })).body.id;
  await send('POST', `${V1}/workflows`, { name: 'W', ...graph, folderId: teamFolder });
  const workflowPath = `${V1}/workflows/${(await send('POST', `${V1}/workflows`, { name: 'W', ...graph })).body.id}`;
  await send('PUT', workflowPath, { folderId: teamFolder });
  await send('GET', `${V1}/admin/teams`);
  const budgets = `${V1}/admin/teams/${teamId}/budgets`;
  await send('GET', budgets);
  await send('PUT', `${V1}/admin/teams/${teamId}/budget`, { dailyCreditBudget: 1000 });
  await send('PUT', `${budgets}/${workflowPath.split('/').at(-1)}`, { dailyCreditBudget: 100 });
  await send('GET', `${V1}/teams/${teamId}/audit?limit=3`);
  await send('GET', `${V1}/audit/actions`);
  await send('GET', `${V1}/admin/audit?limit=3&action=member.changed`);
  await send('DELETE', `${V1}/teams/${teamId}`);
  await send('DELETE', workflowPath);
  await send('DELETE', `${V1}/folders/${teamFolder}`);
  await send('DELETE', `${V1}/teams/${teamId}`);
  await send('GET', `${V1}/credits`);
  await send('GET', `${V1}/credits/spending?days=2`);
  await send('GET', `${V1}/admin/credits?userId=${userId}`);
  for (const part of ['plans', 'providers', 'workload', 'overview', 'backup', 'failures'])
    await send('GET', `${V1}/admin/${part}`);
  await send('POST', `${V1}/admin/backup`);
  await send('GET', `${V1}/workspace/failures`);
  const { revision } = (await send('GET', `${V1}/admin/models`)).body;
  await send('POST', `${V1}/admin/models`, { revision, models: [] });
  receiver.answer(res => res.writeHead(200).end(JSON.stringify({ data: [{ id: 'llama3.2' }] })));
  await send('GET', `${V1}/admin/models/offers?provider=openai&query=llama`);
  const planRequest = { provider: 'openai', endpoints: ['llama3.2'] };
  await send('POST', `${V1}/admin/models/plan`, planRequest);
  receiver.answer(res => res.writeHead(204).end());
  const pricedModels = [{ nodeType: 'generate:fal_flux_dev', config: { image_size: 'square' } }];
  await send('POST', `${V1}/models/prices`, { models: pricedModels });
  for (const path of ['/healthz', '/readyz', `${V1}/nodes`, `${V1}/models`]) await send('GET', path);
}

const getToken = ({ body }: TourResponse): string | undefined =>
  (body as unknown as { url: string }).url.split('#')[1];

async function tourSessions({ send }: TourContext): Promise<void> {
  await send('GET', `${V1}/auth/methods`);
  const setup = await send('POST', `${V1}/admin/password-links`, { kind: 'setup' });
  const owner = { email: 'owner@example.com', name: 'Olu', password: 'an owner to remember' };
  await send('POST', `${V1}/auth/setup`, { token: getToken(setup), ...owner }, { who: 'nobody' });
  const email = 'grace@example.com';
  const [password, next] = ['correct horse battery', 'a password to remember'];
  const nobody = { who: 'nobody' };
  await send('POST', `${V1}/admin/users`, { email, name: 'Grace', plan: 'enterprise', invite: true });
  const link = await send('POST', `${V1}/admin/password-links`, { kind: 'reset', email });
  const token = getToken(link);
  const acceptedInvitation = await send('POST', `${V1}/auth/accept-invite`, { token, password }, nobody);
  await send('POST', `${V1}/auth/accept-invite`, { token, password }, nobody);
  await send('POST', `${V1}/auth/sign-in`, { email, password: 'a wrong one' }, nobody);
  await send('POST', `${V1}/auth/forgotten-password`, { email }, nobody);
  const asBrowser = (cookie: string) => ({ ...nobody, headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  const firstSession = asBrowser(acceptedInvitation.cookie);
  await send('POST', `${V1}/auth/reauthenticate`, { password }, firstSession);
  await send('POST', `${V1}/auth/password`, { current: password, next }, firstSession);
  const signedIn = asBrowser(
    (await send('POST', `${V1}/auth/sign-in`, { email, password: next }, nobody)).cookie,
  );
  await send('GET', `${V1}/auth/session`, undefined, signedIn);
  const sessions = (await send('GET', `${V1}/auth/sessions`, undefined, signedIn)).body as unknown as {
    data: { id: string; current: boolean }[];
  };
  const otherSession = sessions.data.find(({ current }) => !current);
  await send('DELETE', `${V1}/auth/sessions/${otherSession?.id}`, undefined, signedIn);
  const crossSite = { ...nobody, headers: { cookie: signedIn.headers.cookie } };
  await send('POST', `${V1}/folders`, { name: 'Theirs' }, crossSite);
  await send('POST', `${V1}/auth/sign-out`, undefined, signedIn);
}

async function tourWorkflows({ send, graph }: TourContext): Promise<string> {
  const { id } = (await send('POST', `${V1}/workflows`, { name: 'Postcard', tags: ['example'], ...graph }))
    .body;
  const workflowPath = `${V1}/workflows/${id}`;
  await send('GET', `${V1}/workflows?limit=2`);
  await send('GET', workflowPath);
  await send('PUT', workflowPath, { description: 'A place becomes a postcard.' });
  await send('PUT', workflowPath, { name: 'X' }, { headers: { 'if-match': '"old"' } });
  await send('PUT', workflowPath, { isPublished: true });
  // Import does not accept the export time.
  const { exportedAt: _, ...file } = (await send('GET', `${workflowPath}/export`)).body as Record<
    string,
    unknown
  >;
  await send('POST', `${V1}/workflows/import`, file);
  await send('POST', `${V1}/workflows/lint`, graph);
  await send('POST', `${workflowPath}/lint`, {});
  await send('POST', `${workflowPath}/layout`, {});
  await send('POST', `${workflowPath}/edit`, {
    operations: [{ op: 'add_node', nodeId: 'season', nodeType: 'input:text', label: 'Season' }],
  });
  await send('POST', `${workflowPath}/heartbeat`);
  await send('PUT', `${workflowPath}/selection`, { nodeIds: ['place'] });
  await send('POST', `${workflowPath}/visibility`, { linkPermission: 'VIEW' });
  await send('POST', `${workflowPath}/publish`, {
    isPublished: true,
    slug: 'postcard',
    settings: { isTemplate: true },
  });
  await send('PUT', `${workflowPath}/budget`, { dailyCreditBudget: 100 });
  await send('GET', `${V1}/credits/budgets`);
  const copyId = (await send('POST', `${workflowPath}/duplicate`, {})).body.id;
  await send('POST', `${V1}/workflows/${copyId}/publish`, { isPublished: true, slug: 'postcard' });
  await send('GET', `${workflowPath}/versions`);
  await send('GET', `${workflowPath}/versions/1`);
  await send('POST', `${workflowPath}/versions/1/restore`);
  await send('PUT', `${workflowPath}/permissions`, { email: 'ada@example.com', role: 'VIEW' });
  await send('GET', `${workflowPath}/permissions`);
  await send('DELETE', `${workflowPath}/permissions/ada%40example.com`);
  await send('GET', `${V1}/templates?limit=2`);
  await send('GET', `${V1}/templates/tpl_make-a-picture`);
  const templateCopyId = (
    await send('POST', `${V1}/templates/tpl_make-a-picture/duplicate`, { name: 'My picture' })
  ).body.id;
  await send('POST', `${V1}/workflows/${templateCopyId}/run`, {});
  await send('POST', `${workflowPath}/run`, { useSample: true });
  await send('GET', `${V1}/published/postcard`);
  await send('DELETE', `${V1}/workflows/${copyId}`);
  await send('POST', `${V1}/workflows/${copyId}/restore`);
  await send('DELETE', `${V1}/workflows/${copyId}`);
  await send('POST', `${V1}/admin/workflows/${copyId}/restore`);
  return id;
}

async function tourRuns({ send, waitFor, receiver }: TourContext, workflowId: string): Promise<void> {
  const workflowPath = `${V1}/workflows/${workflowId}`;
  await send('POST', `${workflowPath}/estimate`, {});
  const body = { inputs: { place: 'Lisbon' }, webhook: { url: receiver.url, secret: 'hunter2' } };
  const withKey = { headers: { 'idempotency-key': 'order-1042' } };
  const run = (await send('POST', `${workflowPath}/run`, body, withKey)).body as unknown as {
    executionId: string;
  };
  await send('POST', `${workflowPath}/run`, { inputs: { place: 'Porto' } }, withKey);
  await send('POST', `${workflowPath}/execute`, {});
  await send('POST', `${workflowPath}/run`, {}, { headers: { prefer: 'wait=20' } });
  await send('POST', `${workflowPath}/execute`, {}, { headers: { prefer: 'wait=20' } });
  const runPath = `${V1}/executions/${run.executionId}`;
  await waitFor(runPath, ({ webhook }) => webhook?.state === 'delivered');
  await send('GET', runPath);
  await send('GET', `${runPath}/workflow`);
  await send('GET', `${runPath}/outputs/prompt`);
  await send('GET', `${runPath}/previews/prompt`);
  await send('GET', `${V1}/executions?limit=2`);
  await send('GET', `${V1}/workspace/executions?limit=2`);
  await send('GET', `${V1}/admin/executions?limit=2`);
  await send('GET', `${workflowPath}/executions?limit=2`);
  await send('GET', `${workflowPath}/results`);
  await send('POST', `${runPath}/cancel`);
  await send('POST', `${runPath}/resume`, {});
  const resumedRun = (await send('POST', `${runPath}/resume`, { fromNodeId: 'prompt' })).body as unknown as {
    executionId: string;
  };
  await waitFor(`${V1}/executions/${resumedRun.executionId}`, ({ finishedAt }) => finishedAt !== null);
  await send('POST', `${runPath}/resume`, { fromNodeId: 'prompt' }, { headers: { prefer: 'wait=20' } });
  const { data } = (await send('GET', `${runPath}/deliveries`)).body as unknown as { data: { id: string }[] };
  // Responds late, so that the repeated request arrives while the first one is in progress.
  receiver.answer(res => setTimeout(() => res.writeHead(204).end(), 1_000));
  await send('POST', `${runPath}/deliveries/${data[0]?.id}/redeliver`);
  receiver.answer(res => res.writeHead(204).end());
  await send('POST', `${V1}/webhooks/test`, { url: receiver.url, secret: 'hunter2' });
  await send('DELETE', `${V1}/executions/${resumedRun.executionId}`);
}

async function tourMedia({ send }: TourContext): Promise<void> {
  const request = (async (method: string, path: string, body?: unknown) =>
    send(method, `${V1}${path}`, body)) as never;
  const { mediaId, url } = await uploadPicture({ request });
  await send('GET', new URL(url).pathname, undefined, { headers: { range: 'bytes=99999999-' } });
  const createImageNode = (id: string) => ({
    id,
    type: 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: 'P', category: 'input', nodeType: 'input:image', config: { mediaId } },
  });
  const { id: workflowId } = (
    await send('POST', `${V1}/workflows`, { name: 'U', nodes: [createImageNode('p')], edges: [] })
  ).body;
  await send('DELETE', `${V1}/media/${mediaId}`);
  await send('DELETE', `${V1}/workflows/${workflowId}`);
  await send('GET', `${V1}/media`);
  await send('GET', `${V1}/media/${mediaId}`);
  await send('GET', `${V1}/media/${mediaId}/uses`);
  await send('PATCH', `${V1}/media/${mediaId}`, { name: 'A cat', isFavorite: true });
  await send('PATCH', `${V1}/media`, { mediaIds: [mediaId], isFavorite: false });
  const { id: collectionId } = (
    await send('POST', `${V1}/collections`, { name: 'Cats', mediaIds: [mediaId] })
  ).body;
  await send('GET', `${V1}/collections`);
  await send('GET', `${V1}/collections/${collectionId}`);
  await send('PATCH', `${V1}/collections/${collectionId}`, { name: 'Best cats', removeMediaIds: [mediaId] });
  await send('GET', `${V1}/media/download`);
  await send('DELETE', `${V1}/collections/${collectionId}`);
  await send('POST', `${V1}/media/delete`, { mediaIds: [`med_${UNKNOWN_ID}`] });
  await send('DELETE', `${V1}/media/${mediaId}`);
  const bytes = await noiseImage(4, 4, 'png');
  const upload = (
    await send('POST', `${V1}/media/upload-url`, {
      contentType: 'image/png',
      bytes: bytes.length,
      filename: 'a.png',
    })
  ).body as unknown as { uploadUrl: string; headers: Record<string, string>; mediaId: string };
  await fetch(upload.uploadUrl, { method: 'PUT', headers: upload.headers, body: new Uint8Array(bytes) });
  await send('POST', `${V1}/media/upload-url/complete`, { mediaId: upload.mediaId });
  const uploadInline = (type: string, content: string | Buffer) =>
    send('POST', `${V1}/media/upload`, {
      dataUrl: `data:${type};base64,${Buffer.from(content).toString('base64')}`,
    });
  await uploadInline('image/tiff', 'x');
  await uploadInline('image/png', '');
  await uploadInline('image/svg+xml', '<html/>');
  await uploadInline(
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(70)}${'</g>'.repeat(70)}</svg>`,
  );
  await uploadInline('image/png', Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(20)]));
  await send('POST', `${V1}/media/upload`, { url: 'http://127.0.0.1:9/a.png' });
  await send('POST', `${V1}/media/upload-url`, { contentType: 'image/png', bytes: 0, filename: 'a.png' });
  await send('POST', `${V1}/media/upload-url`, {
    contentType: 'image/png',
    bytes: 99_000_000,
    filename: 'a.png',
  });
  await send('POST', `${V1}/media/upload-url/complete`, { mediaId: 7 });
  await send('POST', `${V1}/media/upload-url/complete`, { mediaId: `med_${UNKNOWN_ID}` });
}

async function tourRenders({ send, waitFor }: TourContext): Promise<void> {
  await send('GET', `${V1}/renderer/scene-graph?include=doc`);
  await send('GET', `${V1}/renderer/templates`);
  await send('GET', `${V1}/renderer/templates/quote-card`);
  const still = { templateId: 'quote-card', props: { quote: 'Less.' }, scale: 0.1 };
  await send('POST', `${V1}/render/renderer/preview`, { ...still, frames: [1], format: 'webp' });
  await send('POST', `${V1}/render/renderer/preview`, { sceneGraph: {} });
  const clip = (
    await send('POST', `${V1}/render/renderer/preview`, { ...still, format: 'mp4', range: [0, 2] })
  ).body;
  const { renderId } = (clip as unknown as { data: { renderId: string } }).data;
  await waitFor(`${V1}/render/renderer/${renderId}`, ({ data }) => data?.finishedAt !== null);
  await send('GET', `${V1}/render/renderer/${renderId}`);
  await send('POST', `${V1}/render/renderer/${renderId}/cancel`);
}

async function tourContent({ send }: TourContext): Promise<void> {
  const page = { slug: 'postcards', title: 'Postcards', type: 'FEATURE', isPublished: true };
  const withSecret = { who: 'content' };
  await send('POST', '/api/content/webhook', page, withSecret);
  await send('POST', '/api/content/webhook', { ...page, slug: 'other' }, withSecret);
  await send('PATCH', `${V1}/admin/users/1`, { isAuthor: false });
  await send('POST', '/api/content/webhook', { ...page, slug: 'more', title: 'More' }, withSecret);
  await send('PATCH', `${V1}/admin/users/1`, { isAuthor: true });
  await send('PUT', '/api/content/webhook', { slug: 'postcards', subtitle: 'From everywhere' }, withSecret);
}

async function tourRejections({ send }: TourContext, workflowId: string): Promise<void> {
  const workflowPath = `${V1}/workflows/${workflowId}`;
  await send('GET', `${V1}/executions/ex_${UNKNOWN_ID}`);
  await send('GET', `${V1}/workflows`, undefined, { who: 'nobody' });
  await send('GET', `${V1}/workflows`, undefined, { who: 'wrong' });
  await send('GET', `${V1}/admin/users`, undefined, { who: 'ada' });
  await send('PUT', workflowPath, { name: 'Mine' }, { who: 'ada' });
  await send('POST', `${V1}/workflows`, { name: 7 });
  await send('POST', `${V1}/workflows`, 'broken', { headers: { 'x-raw': 'json' } });
  await send('POST', `${V1}/workflows`, 'text', { headers: { 'x-raw': 'text' } });
  await send('POST', `${V1}/workflows`, 'x'.repeat(4_300_000), { headers: { 'x-raw': 'json' } });
  await send('POST', `${V1}/workflows`, { name: 'W', nodes: [{ id: 'a' }], edges: [] });
  await send('POST', `${workflowPath}/run`, { inputs: { nowhere: 1 } });
  await send('POST', `${workflowPath}/run`, { webhook: { url: 'ftp://x' } });
  await send('PUT', workflowPath, { isActive: false });
  await send('POST', `${workflowPath}/run`, {});
  await send('PUT', workflowPath, { isActive: true });
  const delay = { type: 'basedNode', data: { label: 'M', category: 'logic', nodeType: 'logic:delay' } };
  const nodes = ['a', 'b'].map((id, index) => ({ id, position: { x: index * 400, y: 0 }, ...delay }));
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
  const { id: cyclicId } = (await send('POST', `${V1}/workflows`, { name: 'Round', nodes, edges })).body;
  await send('POST', `${V1}/workflows/${cyclicId}/run`, {});
  const manyNodes = Array.from({ length: 251 }, (_, index) => ({
    id: `n${index}`,
    position: { x: index * 300, y: 0 },
    ...delay,
  }));
  const { id: largeId } = (
    await send('POST', `${V1}/workflows`, { name: 'Large', nodes: manyNodes, edges: [] })
  ).body;
  await send('POST', `${V1}/workflows/${largeId}/layout`, {});
}

async function tourPaidRuns({ send, addKey, waitFor }: TourContext): Promise<void> {
  const config = { prompt: 'A fox', maxCredits: 10 };
  const model = { nodeType: 'generate:openai_gpt_image', config };
  const node = { id: 'm', position: { x: 0, y: 0 }, data: { label: 'M', category: 'model', ...model } };
  const graph = { name: 'Fox', nodes: [{ ...node, type: 'basedNode' }], edges: [] };
  const workflowPath = `${V1}/workflows/${(await send('POST', `${V1}/workflows`, graph)).body.id}`;
  await send('POST', `${workflowPath}/run`, { maxCredits: 0 });
  await tourNotices({ send, waitFor }, workflowPath);
  await tourPaidApp({ send }, workflowPath);
  await tourMoney({ send, addKey }, graph);
  await send('PUT', `${workflowPath}/budget`, { dailyCreditBudget: 0 });
  await send('POST', `${workflowPath}/run`, {});
  const poorUser = {
    email: 'poor@example.com',
    name: 'Poor',
    keyScopes: ['workflows:write', 'workflows:execute'],
  };
  const { apiKey } = (await send('POST', `${V1}/admin/users`, poorUser)).body as unknown as {
    apiKey: string;
  };
  addKey('poor', apiKey);
  const speech = { nodeType: 'utility:speech', config: { engine: 'openai', text: 'A fox.' } };
  const speechNode = { ...node, data: { label: 'S', category: 'utility', ...speech }, type: 'basedNode' };
  // The first model has no price, and the credits do not cover the second one.
  for (const nodes of [graph.nodes, [speechNode]]) {
    const id = (await send('POST', `${V1}/workflows`, { ...graph, nodes }, { who: 'poor' })).body.id;
    await send('POST', `${V1}/workflows/${id}/run`, {}, { who: 'poor' });
  }
}

async function tourLimits({ send, addKey }: TourContext): Promise<void> {
  const model = { nodeType: 'generate:replicate_flux_pro', config: { prompt: 'A fox' } };
  const node = { id: 'm', position: { x: 0, y: 0 }, data: { label: 'M', category: 'model', ...model } };
  const graph = { nodes: [{ ...node, type: 'basedNode' }], edges: [] };
  const { id } = (await send('POST', `${V1}/workflows`, { name: 'Paid', ...graph })).body;
  await send('POST', `${V1}/workflows/${id}/run`, {});
  await send('PUT', `${V1}/nodes`);
  await send('GET', `${V1}/workflows/${'x'.repeat(1001)}`);
  await send('GET', `${V1}/me`, undefined, { headers: { 'x-long': 'x'.repeat(20_000) } });
  const expiresAt = new Date(Date.now() + 3_000).toISOString();
  const shortLivedKey = (
    await send('POST', `${V1}/keys`, { name: 'Brief', scopes: ['workflows:read'], expiresAt })
  ).body;
  addKey('brief', (shortLivedKey as unknown as { key: string }).key);
  const freeUser = { email: 'free@example.com', name: 'Free', plan: 'free', keyScopes: ['workflows:write'] };
  const { apiKey } = (await send('POST', `${V1}/admin/users`, freeUser)).body as unknown as {
    apiKey: string;
  };
  addKey('free', apiKey);
  // Twice the limit and one more, because a minute may end in between.
  for (let i = 0; i < 21; i++) await send('GET', `${V1}/me`, undefined, { who: 'free' });
  const video = { contentType: 'video/mp4', bytes: 104_857_600, filename: 'a.mp4' };
  for (let i = 0; i < 103; i++) await send('POST', `${V1}/media/upload-url`, video);
  await new Promise(resolve => setTimeout(resolve, Math.max(0, Date.parse(expiresAt) - Date.now()) + 50));
  await send('GET', `${V1}/me`, undefined, { who: 'brief' });
}
