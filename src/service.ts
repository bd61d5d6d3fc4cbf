// Creates the dependencies from settings and databases, starts the worker and the HTTP server, and stops them in
// reverse order.

import { join } from 'node:path';
import { requireAppCompatible } from './apps/app-issues.ts';
import { findPublicAppSlug } from './apps/store/apps.ts';
import { createEditorFiles, type EditorFiles } from './bundle/editor-files.ts';
import type { Databases } from './databases.ts';
import { createServer } from './http/server.ts';
import { startWorker, type Worker } from './jobs/worker.ts';
import { AppError } from './lib/errors.ts';
import { createGuardedFetch } from './lib/fetch.ts';
import { PROVIDER_URLS, type Settings } from './lib/settings.ts';
import { createWakeTimers } from './lib/wake-timers.ts';
import { readOwnModels } from './local/own-models.ts';
import { createMcpMount } from './mcp/mount.ts';
import { createOAuthMount } from './mcp/oauth/mount.ts';
import {
  describeStorageProblem,
  findStorageProblem,
  getConfiguredBucket,
  openStorage,
} from './media/open-storage.ts';
import { type Bucket, getBucketOrigin } from './media/s3.ts';
import { createNodeTypes, type NodeTypes } from './nodes/catalog.ts';
import { LOCAL_PORTS } from './nodes/models/local-servers.ts';
import { getTemplates } from './render/templates/catalog.ts';
import { createRunReads } from './runs/calls/run-reads.ts';
import { ProviderTraffic } from './runs/calls/traffic.ts';
import { createRunCommit } from './runs/change/commit.ts';
import type { RunDeps } from './runs/deps.ts';
import { createLocalPlacement, QUEUE_ONLY } from './runs/execute/dispatch.ts';
import { getMemoryLimit, RunMemoryPool } from './runs/slots/memory.ts';
import { WorkerSlots } from './runs/slots/worker-slots.ts';
import { createShippedTemplates } from './runs/templates/shipped-templates.ts';
import { bootstrap } from './services/accounts/bootstrap.ts';
import { forgetUser } from './services/accounts/end-access.ts';
import { createKeyAuthenticator } from './services/accounts/key-authenticator.ts';
import { RateLimiter } from './services/accounts/rate-limits.ts';
import { createCatalogResponses, createModelSeconds } from './services/catalog.ts';
import { createChangeHub } from './services/change-hub.ts';
import { createCredentialOpener } from './services/credentials/open-credentials.ts';
import { readEnvironment } from './services/credentials/provider-credential.ts';
import { type JobPool, MAIL_ATTEMPT_OUTCOMES } from './services/deps.ts';
import { openSecretsKey } from './services/instance/secrets-key.ts';
import { createMailer, type Mailer } from './services/mails/smtp.ts';
import { createMediaBatcher } from './services/media/storage-quota.ts';
import { startLiveModels } from './services/models/live-models.ts';
import { isOAuthEnabled } from './services/oauth/oauth-server.ts';
import { createTokenAuthenticator } from './services/oauth/token-authenticator.ts';
import { createOutboundSlots } from './services/outbound-slots.ts';
import { createSetupLink } from './services/sessions/password-links.ts';
import { createSessionAuthenticator } from './services/sessions/session-authenticator.ts';
import { createGraphVersions } from './services/workflows/graph-versions.ts';
import { createViewCounts } from './services/workflows/view-counts.ts';
import { readAccountKey } from './store/accounts.ts';
import { CHANNELS } from './store/db.ts';
import { recordMailSetUp } from './store/mails.ts';
import { withOutageRetries } from './store/retry.ts';
import { createWorkflowReads } from './store/workflows/workflows.ts';

const KEY_FLUSH_MS = 10_000;
const OAUTH_OFF =
  'OAuth is off, because BASE_URL is plain http and not a local address, so tokens would be sent unencrypted. Set an https BASE_URL, or give agents API keys.';

export interface StartedService {
  /** The URL at which the service listens. */
  readonly url: string;
  /** Why the media storage did not respond, so that the service is not ready yet. */
  readonly storageProblem: string | undefined;
  /** The first user's API key, if it was just created. The key cannot be shown again. */
  readonly bootstrapKey: string | undefined;
  /** The link at which the first user sets a password, if it was just created. The link cannot be shown again. */
  readonly setUpLink: string | undefined;
  /** Resolves when the start is complete, including the web application's files. */
  readonly settled: Promise<void>;
}

interface StartContext extends Pick<RunDeps, 'settings' | 'timing' | 'log' | 'tracer'> {
  readonly databases: Databases;
  readonly editor?: EditorFiles | undefined;
}

/** The parameters of `createDeps`. */
export interface DepsOptions
  extends Pick<RunDeps, 'settings' | 'timing' | 'log' | 'tracer' | 'now' | 'db' | 'runDb' | 'placement'> {
  readonly nodeTypes: Pick<NodeTypes, 'catalog' | 'findNode'>;
}

/** Starts the parts that ROLE selects, on migrated databases. The stack stops these parts. */
export async function startParts(
  context: StartContext,
  stack: AsyncDisposableStack,
): Promise<StartedService> {
  const { settings, timing, log, tracer, databases } = context;
  const { db, runDb } = databases;
  const now = Date.now;
  const slots = new WorkerSlots(
    settings.WORKER_CONCURRENCY,
    now,
    new RunMemoryPool(getMemoryLimit(settings.RUNS_MEMORY_MB)),
  );
  const placement = settings.ROLE === 'api' ? QUEUE_ONLY : createLocalPlacement(slots);
  const nodeTypes = createNodeTypes(settings);
  for (const problem of readOwnModels(settings.LOCAL_MODELS_DIR).problems) log.warn(problem);
  const deps = await createDeps({ settings, timing, log, tracer, now, db, runDb, placement, nodeTypes });
  stack.defer(() => Promise.all([deps.fetch.close(), deps.providerFetch.close()]).then(() => undefined));
  const storageProblem = await requireStorage(deps);
  const { bootstrapKey, setUpLink } = await createFirstAccess(deps);
  const models = await startLiveModels(deps, nodeTypes.install);
  stack.defer(() => models.close());
  // Listens for notifications from before the worker starts until it has stopped, because runs can be cancelled or woken
  // during this time.
  let worker: Worker | undefined;
  stack.defer(
    await db.listen(
      Object.values(CHANNELS),
      (channel, payload) =>
        channel === CHANNELS.models ? void models.refresh() : onNotification(deps, worker, channel, payload),
      timing.relistenMs,
    ),
  );
  if (settings.ROLE !== 'api') {
    await recordMailSetUp(db, deps.mailer !== undefined);
    const startedWorker = await startWorker(deps, slots);
    worker = startedWorker;
    stack.defer(() => startedWorker.stop(timing.drainMs));
  }
  const editor = context.editor ?? openEditor(context, now, stack);
  const url = await listen(deps, editor, stack);
  log.info({ url, role: settings.ROLE }, storageProblem === undefined ? 'ready' : 'running, but not ready');
  // The web application is prepared last, so that the start of the service does not wait for it.
  const settled = settings.ROLE === 'worker' ? Promise.resolve() : editor.start();
  return { url, storageProblem, bootstrapKey, setUpLink, settled };
}

/**
 * Creates the first user with a key and a link, which this process prints. A worker leaves this to the API processes, and
 * of these, one creates both. Called when the start can hardly fail any more, because both are shown only once.
 */
async function createFirstAccess({
  db,
  settings,
  now,
}: RunDeps): Promise<Pick<StartedService, 'bootstrapKey' | 'setUpLink'>> {
  if (settings.ROLE === 'worker') return { bootstrapKey: undefined, setUpLink: undefined };
  return db.transaction(async tx => ({
    bootstrapKey: await bootstrap(tx, settings),
    setUpLink: await createSetupLink(tx, { settings, now }),
  }));
}

function openEditor(
  { settings, log }: StartContext,
  now: () => number,
  stack: AsyncDisposableStack,
): EditorFiles {
  const editor = createEditorFiles({ folder: getEditorFolder(settings), log, now });
  stack.defer(() => editor.close());
  return editor;
}

/** Returns the problem of a media storage that may work later. Throws if it cannot work until a setting is changed. */
async function requireStorage({ storage, bucket, log }: RunDeps): Promise<string | undefined> {
  let storageProblem: string | undefined;
  const problem = await findStorageProblem(storage, err => {
    storageProblem = describeStorageProblem(bucket, err);
    log.warn({ err }, storageProblem);
  });
  if (problem !== undefined) throw new AppError('unavailable', problem);
  return storageProblem;
}

/** Creates the dependencies of services and runs. The caller must close `fetch` and `providerFetch`. */
export async function createDeps(options: DepsOptions): Promise<RunDeps> {
  const { settings, timing, log, tracer, now, db, runDb, placement } = options;
  const { catalog, findNode } = options.nodeTypes;
  // Reads the operator's templates, so that a faulty one is reported at the start.
  getTemplates();
  const wakeTimers = createWakeTimers<JobPool>(now);
  const bucket = getConfiguredBucket(settings);
  const providerFetch = createGuardedFetch({
    allowPrivate: settings.ALLOW_PRIVATE_NETWORK,
    trustedUrls: listTrustedUrls(settings, bucket),
    tracedOrigins: listTracedOrigins(settings),
  });
  const fetch = createGuardedFetch({ allowPrivate: settings.ALLOW_PRIVATE_NETWORK, trustedUrls: [] });
  const secretsKey = await openSecretsKey(db, {
    SECRETS_KEY: settings.SECRETS_KEY,
    dataDir: settings.DATA_DIR,
  });
  return {
    settings,
    timing,
    log,
    tracer,
    now,
    db,
    runDb,
    bucket,
    storage: await openStorage(settings, providerFetch),
    insertMediaInGroup: createMediaBatcher(db, settings),
    fetch,
    providerFetch,
    secretsKey,
    credentialOpener: createCredentialOpener({ settings, db, log, fetch, providerFetch, secretsKey }),
    environmentCredentials: readEnvironment(settings),
    localPorts: LOCAL_PORTS,
    catalog,
    catalogResponses: createCatalogResponses(),
    modelSeconds: createModelSeconds({ db, now, timing }),
    findNode,
    versions: createGraphVersions(catalog),
    shippedTemplates: createShippedTemplates(settings, log),
    findWorkflowInGroup: createWorkflowReads(runDb),
    wakeTimers,
    runReads: createRunReads(
      withOutageRetries(runDb, err => log.warn({ err }, 'failed to read runs; retrying')),
    ),
    commit: createRunCommit({
      db: runDb,
      timing,
      maxConcurrent: settings.MAX_CONCURRENT_RUNS,
      timers: wakeTimers,
    }),
    traffic: new ProviderTraffic({ db: runDb, log, timing, maxConcurrent: settings.PROVIDER_CONCURRENCY }),
    placement,
    changeHub: createChangeHub(),
    rateLimiter: new RateLimiter(db, now),
    keys: createKeyAuthenticator(db, now, timing.credentialCacheMs),
    sessions: createSessionAuthenticator(db, now, timing.credentialCacheMs),
    accessTokens: isOAuthEnabled(settings)
      ? createTokenAuthenticator(db, now, timing.credentialCacheMs)
      : undefined,
    outboundSlots: createOutboundSlots(timing, now),
    views: createViewCounts({ db, log }),
    requireAppCompatible,
    findPublicAppSlug,
    deliveryCounts: new Map(),
    mailer: findMailer(settings),
    // From 0, because Prometheus sees no increase in a series that begins with 1.
    mailCounts: new Map(MAIL_ATTEMPT_OUTCOMES.map(outcome => [outcome, 0])),
    modelCounts: new Map(),
  };
}

const findMailer = ({ SMTP_URL, MAIL_FROM }: Settings): Mailer | undefined =>
  SMTP_URL === undefined || MAIL_FROM === undefined ? undefined : createMailer({ SMTP_URL, MAIL_FROM });

function listTrustedUrls(settings: Settings, bucket: Bucket | undefined): readonly string[] {
  const { FAL_BASE_URL, REPLICATE_BASE_URL, OPENAI_BASE_URL, ELEVENLABS_BASE_URL, COMFYUI_URL, OIDC_ISSUER } =
    settings;
  return [
    FAL_BASE_URL,
    REPLICATE_BASE_URL,
    OPENAI_BASE_URL,
    ELEVENLABS_BASE_URL,
    ...(COMFYUI_URL ?? []),
    OIDC_ISSUER,
    bucket && getBucketOrigin(bucket),
  ].filter(url => url !== undefined);
}

const VENDOR_HOSTS: ReadonlySet<string> = new Set(
  Object.values(PROVIDER_URLS).map(url => new URL(url).hostname),
);

/** Returns the origins of providers that the operator runs or reaches through a gateway. Vendors get no trace context. */
function listTracedOrigins(settings: Settings): readonly string[] {
  const { FAL_BASE_URL, REPLICATE_BASE_URL, OPENAI_BASE_URL, ELEVENLABS_BASE_URL, COMFYUI_URL } = settings;
  return [FAL_BASE_URL, REPLICATE_BASE_URL, OPENAI_BASE_URL, ELEVENLABS_BASE_URL, ...(COMFYUI_URL ?? [])]
    .filter(url => url !== undefined)
    .map(url => new URL(url))
    .filter(({ hostname }) => !VENDOR_HOSTS.has(hostname))
    .map(({ origin }) => origin);
}

/** Returns the folder for bundles of the web application. */
export const getEditorFolder = ({ DATA_DIR, EDITOR_DIR }: Settings): string =>
  EDITOR_DIR ?? join(DATA_DIR, 'editor');

/** Returns the origins from which browsers load media, besides the origin of the page. */
export function listMediaOrigins({
  settings,
  bucket,
}: Pick<RunDeps, 'settings' | 'bucket'>): readonly string[] {
  const origins = [
    new URL(settings.CDN_URL).origin,
    ...(bucket === undefined ? [] : [getBucketOrigin(bucket)]),
  ];
  return [...new Set(origins)];
}

function onNotification(deps: RunDeps, worker: Worker | undefined, channel: string, payload: string): void {
  for (const id of payload.split(',')) {
    if (channel === CHANNELS.limits) deps.traffic.recordRateLimited(id);
    if (channel === CHANNELS.cancel) worker?.cancel(id);
    if (channel === CHANNELS.woken) worker?.wake(id);
    if (channel === CHANNELS.accounts) forgetUser(deps, readAccountKey(id));
    deps.changeHub.notify(id);
  }
}

async function listen(deps: RunDeps, editor: EditorFiles, stack: AsyncDisposableStack): Promise<string> {
  const mcp = createMcpMount(deps);
  stack.defer(() => mcp.close());
  const oauth = createOAuthMount(deps);
  if (oauth === undefined && deps.settings.ROLE !== 'worker') deps.log.warn(OAUTH_OFF);
  const mediaOrigins = listMediaOrigins(deps);
  const server = await createServer({ ...deps, editor, mediaOrigins }, { mcp: mcp.serve, oauth });
  const flushAll = () =>
    Promise.all([deps.keys, deps.sessions, deps.accessTokens].map(authenticator => authenticator?.flush()));
  const flush = (): void =>
    void flushAll().catch((err: unknown) =>
      deps.log.warn({ err }, 'failed to store when keys and sessions were last used'),
    );
  const timer = setInterval(flush, KEY_FLUSH_MS);
  stack.defer(async () => {
    clearInterval(timer);
    await server.close();
    await flushAll();
    await deps.views.flush();
  });
  return server.listen({ host: deps.settings.HOST, port: deps.settings.PORT });
}
