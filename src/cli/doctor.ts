// `graphwright doctor`: checks whether this machine has what the service needs. Each check prints one line, and says
// what to do if it fails.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { getBackend } from '../codecs/backend.ts';
import { isLoopbackHost } from '../lib/addresses.ts';
import { createDataFolderError } from '../lib/data-folder.ts';
import { toError } from '../lib/errors.ts';
import { createGuardedFetch } from '../lib/fetch.ts';
import { newId } from '../lib/ids.ts';
import { findSecretsKey } from '../lib/secrets-key.ts';
import { readSettings, type Settings } from '../lib/settings.ts';
import { getVoiceModel } from '../local/models.ts';
import { readOwnModels } from '../local/own-models.ts';
import { LOCAL_FEATURES, listMissing, listOcrLanguages } from '../local/packages.ts';
import { runLocal } from '../local/run-local.ts';
import { SPEECH_RATE } from '../local/tasks.ts';
import { describeStorageProblem, getConfiguredBucket } from '../media/open-storage.ts';
import { getBucketOrigin, openS3Storage } from '../media/s3.ts';
import { findServers, LOCAL_PORTS } from '../nodes/models/local-servers.ts';
import { openEnvironment } from '../services/credentials/provider-credential.ts';
import { probeProviders } from '../services/instance/provider-checks.ts';
import { hasKeyFingerprint, requireSecretsKey } from '../services/instance/secrets-key.ts';
import { type Db, type DbOptions, openDb } from '../store/db.ts';
import { getBinaries } from '../store/embedded/binaries.ts';
import { findRunning } from '../store/embedded/embedded.ts';
import { chooseRunner } from '../store/embedded/run-as.ts';
import { getDirectSetting, preflight, preflightPooler } from '../store/preflight.ts';
import { readReplication } from '../store/replication.ts';
import { readServerVersion } from '../store/server-version.ts';
import { type Command, CommandFailedError } from './command.ts';
import { requirePort } from './port.ts';
import { formatBytes } from './terminal/progress.ts';
import type { Style, Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText } from './terminal/text-width.ts';
import { describeUnknownSettings } from './unknown-settings.ts';
import { toKeySource } from './upkeep/backup.ts';

const MIN_NODE_MAJOR = 24;
const MIN_FREE_BYTES = 1e9;
const MAX_SKEW_SECONDS = 60;
const PROBE_TIMEOUT_MS = 5000;
const MAIL_TIMEOUT_MS = 15_000;
/** Loading the codec host takes a second or two. */
const CODEC_TIMEOUT_MS = 30_000;
/** A PNG of one pixel. */
const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface CheckResult {
  readonly check: string;
  /** `missing`: something optional is missing or does not work. The service can run without it. */
  readonly state: 'ok' | 'missing' | 'failed';
  readonly detail: string;
}

type Check = (settings: Settings) => Promise<string>;

/** Thrown by a check if something optional is missing or does not work. */
class OptionalCheckError extends Error {}

const CHECKS: Readonly<Record<string, Check>> = {
  'Node.js': async () => {
    const { node } = process.versions;
    if (Number(node.split('.')[0]) < MIN_NODE_MAJOR)
      throw new Error(`${node} is too old; run it through npm, which brings Node ${MIN_NODE_MAJOR}`);
    return `${node} on ${process.platform} ${process.arch}`;
  },
  settings: async () => {
    const problems = describeUnknownSettings();
    if (problems.length > 0) throw new OptionalCheckError(problems.join(' '));
    return 'no misspelled setting';
  },
  PostgreSQL: checkDatabase,
  pooler: checkPooler,
  replication: checkReplication,
  'secrets key': checkSecretsKey,
  DATA_DIR: async ({ DATA_DIR }) => {
    const folder = findExistingFolder(DATA_DIR);
    const testFolder = await mkdtemp(join(folder, 'graphwright-doctor-')).catch((err: unknown) => {
      throw createDataFolderError(DATA_DIR, err);
    });
    await rm(testFolder, { recursive: true });
    return folder === DATA_DIR ? `${DATA_DIR} can be written` : `${DATA_DIR} can be created`;
  },
  'disk space': async ({ DATA_DIR }) => {
    const { bavail, bsize } = await statfs(findExistingFolder(DATA_DIR));
    const free = `${formatBytes(bavail * bsize)} free`;
    if (bavail * bsize < MIN_FREE_BYTES)
      throw new Error(`${free} at ${DATA_DIR}; the database and media need at least 1 GB`);
    return free;
  },
  port: checkPort,
  BASE_URL: checkBaseUrl,
  images: async () => {
    const [{ inspectImage }] = await Promise.all([
      import('../media/images.ts'),
      import('../render/paint/canvas.ts'),
    ]);
    await inspectImage(Buffer.from(ONE_PIXEL, 'base64'), AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return 'libvips and Skia load';
  },
  'media storage': checkStorage,
  providers: checkModelProviders,
  mail: async ({ SMTP_URL, MAIL_FROM }) => {
    if (SMTP_URL === undefined || MAIL_FROM === undefined)
      return 'no mail server; people are invited by links';
    const { createMailer } = await import('../services/mails/smtp.ts');
    const mailer = createMailer({ SMTP_URL, MAIL_FROM });
    await mailer.check(AbortSignal.timeout(MAIL_TIMEOUT_MS)).catch((err: unknown) => {
      throw new OptionalCheckError(`${mailer.host} does not accept mails: ${toError(err).message}`);
    });
    return `${mailer.host} accepts mails from ${MAIL_FROM}`;
  },
  'video and audio': async settings => {
    try {
      const { name, detail } = await getBackend(settings, AbortSignal.timeout(CODEC_TIMEOUT_MS));
      return `${name}: ${detail}`;
    } catch (err) {
      throw new OptionalCheckError(toError(err).message);
    }
  },
  'local nodes': checkLocalNodes,
};

export const doctor: Command = async ({ options, terminal }) => {
  const settings = readSettings();
  const results: CheckResult[] = [];
  // Servers of models are contacted only if that is asked for.
  const checks = options.findServers === true ? { ...CHECKS, 'local servers': checkLocalServers } : CHECKS;
  for (const [name, check] of Object.entries(checks)) results.push(await runCheck(name, check, settings));
  if (options.json === true) terminal.print(JSON.stringify(results, null, 2));
  else printResults(results, terminal);
  if (results.some(({ state }) => state === 'failed')) throw new CommandFailedError('Some checks failed.');
};

async function runCheck(name: string, check: Check, settings: Settings): Promise<CheckResult> {
  try {
    return { check: name, state: 'ok', detail: cleanText(await check(settings)) };
  } catch (thrown) {
    return {
      check: name,
      state: thrown instanceof OptionalCheckError ? 'missing' : 'failed',
      detail: cleanText(toError(thrown).message),
    };
  }
}

const STATE_STYLES: Readonly<Record<CheckResult['state'], readonly [mark: string, style: Style]>> = {
  ok: ['✔', 'green'],
  missing: ['–', 'yellow'],
  failed: ['✖', 'red'],
};

function printResults(results: readonly CheckResult[], terminal: Terminal): void {
  const rows = results.map(({ check, state, detail }) => [
    terminal.paint(STATE_STYLES[state][1], STATE_STYLES[state][0]),
    check,
    detail,
  ]);
  for (const line of alignColumns(rows)) terminal.print(line);
}

/** Returns the folder if it exists, otherwise its nearest existing parent, because `doctor` creates nothing. */
const findExistingFolder = (path: string): string =>
  existsSync(path) ? path : findExistingFolder(dirname(path));

async function checkDatabase(settings: Settings): Promise<string> {
  const direct = getDirectSetting(settings);
  if (direct === undefined) {
    const { postgres } = await getBinaries();
    // PostgreSQL refuses to run as root, and another user may have no access to the folder.
    const folder = findExistingFolder(settings.DATA_DIR);
    const cluster = join(settings.DATA_DIR, 'postgres', 'cluster');
    const owner = await stat(cluster).catch(() => undefined);
    await chooseRunner({ postgres, folder, owner, account: 'postgres' });
    return `embedded: ${(await runProgram(postgres, ['--version'])).trim()}`;
  }
  await using db = openForCheck({ url: direct.url });
  const { clockMs } = await preflight(db, direct);
  const skewS = Math.round((Date.now() - clockMs) / 1000);
  if (Math.abs(skewS) > MAX_SKEW_SECONDS)
    throw new Error(
      `the clock of this machine is ${Math.abs(skewS)} s ${skewS > 0 ? 'ahead of' : 'behind'} PostgreSQL's; synchronize both with NTP`,
    );
  return `${direct.name}: PostgreSQL ${await readServerVersion(db)}`;
}

const openForCheck = (
  connection: DbOptions['connection'],
  options: Pick<DbOptions, 'serverKind'> = {},
): Db & AsyncDisposable => {
  const db = openDb({ connection, maxConnections: 1, onError: () => undefined, ...options });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
};

async function checkPooler({ DATABASE_URL, DATABASE_DIRECT_URL }: Settings): Promise<string> {
  if (DATABASE_URL === undefined || DATABASE_DIRECT_URL === undefined)
    return 'none: each process has its own connections';
  await using pooled = openForCheck({ url: DATABASE_URL }, { serverKind: 'pooler' });
  await using direct = openForCheck({ url: DATABASE_DIRECT_URL });
  const warning = await preflightPooler(pooled, direct, DATABASE_URL);
  if (warning !== undefined) throw new OptionalCheckError(warning);
  return 'requests use the pooler at DATABASE_URL, everything else uses DATABASE_DIRECT_URL';
}

async function checkReplication(settings: Settings): Promise<string> {
  const direct = getDirectSetting(settings);
  if (direct === undefined) return 'none: the embedded PostgreSQL has no replicas';
  await using db = openForCheck({ url: direct.url });
  const { replicas, isSynchronous, isDurable } = await readReplication(db);
  if (!isDurable)
    throw new OptionalCheckError(
      'synchronous_commit is off, so a crash of PostgreSQL loses the last runs that were accepted; set it to on',
    );
  if (replicas === 0) return 'none: no replica follows this PostgreSQL';
  const count = `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;
  if (isSynchronous) return `${count}, and commits wait for them as synchronous_standby_names says`;
  throw new OptionalCheckError(
    `${count}, but commits do not wait for any, so a failover can lose the last runs that were accepted and calls that were paid; set synchronous_standby_names, or synchronous_mode of Patroni`,
  );
}

/** Compares the key with that of the database, unless the embedded PostgreSQL is stopped. */
async function checkSecretsKey(settings: Settings): Promise<string> {
  const source = toKeySource(settings);
  const key = await findSecretsKey(source);
  const place = settings.SECRETS_KEY === undefined ? join(settings.DATA_DIR, 'secrets.key') : 'SECRETS_KEY';
  const unchecked =
    key === undefined ? `${place}, which the first start creates` : `${place}, which the next start compares`;
  const url = getDirectSetting(settings)?.url;
  const connection = url === undefined ? await findRunning(settings.DATA_DIR) : { url };
  if (connection === undefined) return unchecked;
  await using db = openForCheck(connection);
  if (!(await hasKeyFingerprint(db))) return unchecked;
  await requireSecretsKey(db, source, key);
  return `${place}, the key of this database`;
}

/** Writes, reads and deletes an object in the bucket. Storage on the local disk is covered by the check of DATA_DIR. */
async function checkStorage(settings: Settings): Promise<string> {
  const bucket = getConfiguredBucket(settings);
  if (bucket === undefined) return `local disk, ${join(settings.DATA_DIR, 'media')}`;
  const client = createGuardedFetch({ allowPrivate: false, trustedUrls: [getBucketOrigin(bucket)] });
  const spool = await mkdtemp(join(findExistingFolder(settings.DATA_DIR), 'graphwright-doctor-'));
  try {
    const storage = await openS3Storage(bucket, client, spool);
    const [key, bytes] = [newId('media'), Buffer.from(ONE_PIXEL, 'base64')];
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    await storage.put(key, bytes, { contentType: 'image/png', maxBytes: bytes.length, signal });
    const storedBytes = await buffer((await storage.read(key)).stream);
    await storage.remove(key);
    if (!storedBytes.equals(bytes)) throw new Error('it returned other bytes than were written');
    return `bucket ${bucket.name} can be written, read and deleted from`;
  } catch (err) {
    throw new Error(describeStorageProblem(bucket, toError(err)), { cause: err });
  } finally {
    await client.close();
    await rm(spool, { recursive: true });
  }
}

async function checkPort(settings: Settings): Promise<string> {
  const { HOST, PORT } = settings;
  try {
    await requirePort(settings);
  } catch (err) {
    const host = isIPv6(HOST) ? `[${HOST}]` : HOST;
    const response = await requestHealth(`http://${host}:${PORT}`);
    if (response?.isService !== true) throw err;
    throw new OptionalCheckError(
      `${HOST}:${PORT} is used by a running service; if it is another installation, set PORT`,
    );
  }
  return `${HOST}:${PORT} is free`;
}

/** Checks the providers that the environment configures. Providers are optional, so no failure of a provider fails the check. */
async function checkModelProviders(settings: Settings): Promise<string> {
  const client = createGuardedFetch({
    allowPrivate: settings.ALLOW_PRIVATE_NETWORK,
    trustedUrls: [],
  });
  try {
    const probes = await probeProviders(openEnvironment({ settings, fetch: client, providerFetch: client }));
    const configured = probes.filter(({ isConfigured }) => isConfigured);
    if (configured.length === 0)
      return `none: to use their models, add a key at /settings/providers or set ${probes.map(({ setting }) => setting).join(', ')}`;
    const descriptions = configured.map(
      ({ label, setting, error }) => `${label} (${setting}): ${error?.replace(/\.$/, '') ?? 'answers'}`,
    );
    if (configured.every(({ answers }) => answers)) return descriptions.join('; ');
    throw new OptionalCheckError(descriptions.join('; '));
  } finally {
    await client.close();
  }
}

/** Looks for servers of models on this machine, and says how to use those that are not set up. */
async function checkLocalServers({ OPENAI_SERVERS, COMFYUI_URL }: Settings): Promise<string> {
  const client = createGuardedFetch({ allowPrivate: false, trustedUrls: [] });
  try {
    const found = await findServers(client, LOCAL_PORTS);
    if (found.length === 0)
      throw new OptionalCheckError(`none answers on the ports ${LOCAL_PORTS.join(', ')}`);
    const known = new Set([...(COMFYUI_URL ?? []), ...OPENAI_SERVERS.map(({ baseUrl }) => baseUrl)]);
    const descriptions = found.map(({ kind, baseUrl, name, serves, models }) => {
      const what =
        kind === 'comfyui' ? 'ComfyUI' : [serves.join(', '), describeModels(models)].join(' ').trim();
      const setting = kind === 'comfyui' ? `COMFYUI_URL=${baseUrl}` : `OPENAI_SERVERS=${name}=${baseUrl}`;
      return `${baseUrl}: ${what}${known.has(baseUrl) ? '' : `; to use it, set ${setting}`}`;
    });
    return descriptions.join('. ');
  } finally {
    await client.close();
  }
}

const MAX_SHOWN_MODELS = 3;

function describeModels(models: readonly string[]): string {
  const rest = models.length - MAX_SHOWN_MODELS;
  const names = models.slice(0, MAX_SHOWN_MODELS).join(', ');
  return models.length === 0 ? '' : `(${names}${rest > 0 ? ` and ${rest} more` : ''})`;
}

/** Checks BASE_URL, which links, sign-in and hooks use. Behind a proxy, it must be the proxy's address. */
async function checkBaseUrl({ BASE_URL, HOST, PORT }: Settings): Promise<string> {
  const { hostname } = new URL(BASE_URL);
  const response = await requestHealth(BASE_URL);
  if (response === undefined)
    return isLoopbackHost(hostname)
      ? `${BASE_URL}, for this machine alone; set it to the address that people open`
      : `${BASE_URL}: not reachable; start the service and run doctor again`;
  if (response.isService) return `${BASE_URL} is a running service`;
  throw new Error(
    `${BASE_URL} responds with status ${response.status}, which is not a response of this service. Configure the proxy to forward to ${HOST}:${PORT} without changing paths, or set BASE_URL to the address that people open`,
  );
}

/** Asks whether a service runs at the address. Returns undefined if nothing responds. */
async function requestHealth(
  baseUrl: string,
): Promise<{ readonly status: number; readonly isService: boolean } | undefined> {
  const response = await fetch(`${baseUrl}/healthz`, {
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    redirect: 'manual',
  }).catch(() => undefined);
  if (response === undefined) return undefined;
  const text = await response.text().catch(() => '');
  return { status: response.status, isService: response.ok && text.includes('"status":"ok"') };
}

/** Loads every library of the nodes that run on this machine, by running one. */
async function checkLocalNodes(settings: Settings): Promise<string> {
  if (settings.LOCAL_NODES === 'off') return 'off, because of LOCAL_NODES';
  const missing = new Set(LOCAL_FEATURES.flatMap(listMissing));
  if (missing.size > 0)
    throw new OptionalCheckError(
      `packages are not installed: ${[...missing].join(', ')}; run npm ci with npm 11 or later, or set ONNXRUNTIME_NODE_INSTALL=skip with npm 10`,
    );
  try {
    const signal = AbortSignal.timeout(CODEC_TIMEOUT_MS);
    const input = {
      model: getVoiceModel(),
      samples: new Float32Array(SPEECH_RATE),
      skip: 0,
      keep: SPEECH_RATE,
    };
    await runLocal('speech', input, { settings, signal });
  } catch (err) {
    throw new OptionalCheckError(`a model cannot be run: ${toError(err).message}`);
  }
  const { problems } = readOwnModels(settings.LOCAL_MODELS_DIR);
  if (problems.length > 0) throw new OptionalCheckError(problems.join(' '));
  return `ONNX Runtime runs, text is read in: ${listOcrLanguages().join(', ')}`;
}

async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { timeout: PROBE_TIMEOUT_MS });
  return stdout.split('\n')[0] ?? '';
}
