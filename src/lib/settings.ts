// Reads and checks the settings: one table of environment variables, read once at start. No other file reads
// process.env.
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isRecord } from './record.ts';
import {
  apiKey,
  databaseUrl,
  domainList,
  flag,
  fraction,
  hexKey,
  httpUrl,
  httpUrls,
  integer,
  issuer,
  mailFrom,
  nameList,
  oneOf,
  openAiServers,
  providerConcurrency,
  smtpUrl,
  text,
  toPath,
  trustedProxies,
} from './setting-values.ts';

interface SettingDefinition<T> {
  readonly help: string;
  /** The default shown by --help. */
  readonly defaultText: string;
  /** Parses the variable's text, which is undefined if unset or empty. Throws an error that says what is allowed. */
  readonly parse: (text: string | undefined) => T;
}

type Parse<T> = (text: string) => T;

/** Defines a setting with a default, which is parsed like any other value. */
const setting = <T>(
  help: string,
  fallback: string,
  parse: Parse<T>,
  defaultText = fallback,
): SettingDefinition<T> => ({
  help,
  defaultText,
  parse: (text = fallback) => parse(text),
});

/** Defines an optional setting. `defaultText` says what happens if it is unset. */
const optionalSetting = <T>(
  help: string,
  parse: Parse<T>,
  defaultText = 'unset',
): SettingDefinition<T | undefined> => ({
  help,
  defaultText,
  parse: text => (text === undefined ? undefined : parse(text)),
});

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

const PRICE_UNITS = [
  'usdPerCall',
  'usdPerUnit',
  'usdPerMillionInputTokens',
  'usdPerMillionCachedInputTokens',
  'usdPerMillionImageInputTokens',
  'usdPerMillionOutputTokens',
  'usdPerMillionImageOutputTokens',
  'usdPerMillionCharacters',
] as const;
/** The price of a call: the sum of these parts. */
export type Price = Partial<Readonly<Record<(typeof PRICE_UNITS)[number], number>>>;

export interface PlanLimits {
  readonly requestsPerMinute: number;
  readonly executionsPerMinute: number;
  /** null for no limit. */
  readonly executionsPerDay: number | null;
  /** null for no limit. */
  readonly storageBytes: number | null;
  /** Whether runs of accounts with this plan may call models without a price. */
  readonly runsUnpriced?: boolean;
}

const GIB = 1_073_741_824;

const PLANS: Readonly<Record<string, PlanLimits>> = {
  anonymous: { requestsPerMinute: 60, executionsPerMinute: 1, executionsPerDay: 0, storageBytes: 0 },
  free: { requestsPerMinute: 10, executionsPerMinute: 10, executionsPerDay: 50, storageBytes: GIB },
  starter: { requestsPerMinute: 20, executionsPerMinute: 10, executionsPerDay: 200, storageBytes: 10 * GIB },
  pro: { requestsPerMinute: 60, executionsPerMinute: 10, executionsPerDay: 1000, storageBytes: 100 * GIB },
  enterprise: { requestsPerMinute: 200, executionsPerMinute: 10, executionsPerDay: null, storageBytes: null },
  self_hosted: {
    requestsPerMinute: 60_000,
    executionsPerMinute: 60_000,
    executionsPerDay: null,
    storageBytes: null,
    runsUnpriced: true,
  },
};

/** The vendors' public addresses. ComfyUI has none. */
export const PROVIDER_URLS = {
  fal: 'https://queue.fal.run',
  replicate: 'https://api.replicate.com/v1',
  openai: 'https://api.openai.com/v1',
  elevenlabs: 'https://api.elevenlabs.io',
} as const;

const SETTINGS = {
  PORT: setting('port to listen on', '3000', integer(0, 65535)),
  HOST: setting('address to listen on', '127.0.0.1', text),
  BASE_URL: optionalSetting('public URL of the service', httpUrl, 'http://localhost:$PORT'),
  CDN_URL: optionalSetting('public URL of the media', httpUrl, '$BASE_URL/cdn'),
  DATA_DIR: setting('folder for the database cluster, media and secrets', './data', toPath),
  EDITOR_DIR: optionalSetting('folder for the bundles of the web application', toPath, '$DATA_DIR/editor'),
  DATABASE_URL: optionalSetting('URL of a PostgreSQL 15 or later, instead of the embedded one', databaseUrl),
  DATABASE_DIRECT_URL: optionalSetting(
    'direct URL of PostgreSQL if DATABASE_URL points to a transaction pooler such as PgBouncer',
    databaseUrl,
    'unset: no pooler',
  ),
  DATABASE_TIMEOUT_MS: setting(
    'maximum duration of a statement in ms; connections that do not respond in time are closed',
    '20000',
    integer(1000, 600_000),
  ),
  S3_BUCKET: optionalSetting('bucket for media, instead of the local disk', text),
  S3_ENDPOINT: optionalSetting('URL of an S3-compatible store', httpUrl),
  S3_REGION: setting('region of the bucket', 'us-east-1', text),
  AWS_ACCESS_KEY_ID: optionalSetting('key id for the bucket', text),
  AWS_SECRET_ACCESS_KEY: optionalSetting('secret key for the bucket', text),
  S3_FORCE_PATH_STYLE: setting('use path-style URLs for the bucket', 'false', flag),
  ROLE: setting('role of this process: all, api or worker', 'all', oneOf(['all', 'api', 'worker'])),
  WORKER_CONCURRENCY: setting(
    'maximum number of runs that this worker executes at the same time',
    '256',
    integer(1, 1000),
  ),
  RUNS_MEMORY_MB: optionalSetting(
    'memory limit in MB for all runs of this process; above it, no run is claimed and no node started',
    integer(16, 1_000_000),
    'a quarter of the heap limit',
  ),
  BOOTSTRAP_API_KEY: optionalSetting(
    "the first user's API key (sk-…), with all scopes",
    apiKey,
    'generated and printed once',
  ),
  CONTENT_WEBHOOK_SECRET: optionalSetting(
    'secret of the content webhook',
    text,
    'unset: the webhook returns 401',
  ),
  SECRETS_KEY: optionalSetting(
    'key that encrypts stored secrets, 64 hex digits',
    hexKey,
    'generated in DATA_DIR',
  ),
  NEW_SECRETS_KEY: optionalSetting('the new key for `secrets rotate`', hexKey),
  FAL_KEY: optionalSetting('enables fal', text),
  FAL_BASE_URL: setting('URL of fal', PROVIDER_URLS.fal, httpUrl),
  REPLICATE_API_TOKEN: optionalSetting('enables Replicate', text),
  REPLICATE_BASE_URL: setting('URL of Replicate', PROVIDER_URLS.replicate, httpUrl),
  OPENAI_API_KEY: optionalSetting('enables OpenAI', text),
  OPENAI_BASE_URL: setting('URL of OpenAI or a compatible server', PROVIDER_URLS.openai, httpUrl),
  OPENAI_SERVERS: setting(
    'named servers that speak the protocol of OpenAI, e.g. ollama=http://127.0.0.1:11434/v1,kokoro=http://127.0.0.1:8880/v1',
    '',
    openAiServers,
    'none',
  ),
  ELEVENLABS_API_KEY: optionalSetting('enables ElevenLabs', text),
  ELEVENLABS_BASE_URL: setting('URL of ElevenLabs', PROVIDER_URLS.elevenlabs, httpUrl),
  COMFYUI_URL: optionalSetting(
    'URL of a ComfyUI server, or several separated by commas; enables it',
    httpUrls,
  ),
  COMFYUI_AUTH: optionalSetting('Authorization header for ComfyUI, or another header as `Name: value`', text),
  COMFY_ORG_API_KEY: optionalSetting('comfy.org API key, for ComfyUI nodes that call hosted models', text),
  OIDC_ISSUER: optionalSetting('issuer URL of an OpenID provider for sign-in; enables it', issuer),
  OIDC_CLIENT_ID: optionalSetting('client id of this service at the OpenID provider', text),
  OIDC_CLIENT_SECRET: optionalSetting('client secret of this service at the OpenID provider', text),
  OIDC_ALLOWED_DOMAINS: setting(
    'comma-separated domains; users with a verified email there get an account at their first sign-in',
    '',
    domainList,
    'unset: only administrators create accounts',
  ),
  SMTP_URL: optionalSetting(
    'mail server, e.g. smtp://user:password@smtp.example.com:587 or smtps://…:465; enables mail',
    smtpUrl,
  ),
  MAIL_FROM: optionalSetting('sender of mails, e.g. Graphwright <graphwright@example.com>', mailFrom),
  REQUIRE_SECOND_FACTOR: setting(
    'on to require that everybody who signs in has a second factor',
    'off',
    oneOf(['on', 'off']),
  ),
  CREDENTIALS: setting(
    'on, or off to use only the provider keys of these settings',
    'on',
    oneOf(['on', 'off']),
  ),
  CREDENTIALS_BASE_URLS: setting(
    "address of workspaces' credentials without one: public for the provider's own, instance for *_BASE_URL",
    'public',
    oneOf(['public', 'instance']),
  ),
  PROVIDER_CONCURRENCY: setting(
    'maximum number of concurrent calls per provider across all processes, e.g. {"fal": 40}',
    '{}',
    providerConcurrency,
    'no limit until a provider returns 429',
  ),
  DEFAULT_PLAN: setting('plan of new accounts', 'free', text),
  DEFAULT_CREDITS: setting('credits of new accounts', '0', integer(0, 1e12)),
  PLANS_FILE: optionalSetting('a JSON file that overrides the limits of plans', text),
  MODELS_FILE: optionalSetting('a JSON file with your own models, instead of those in the database', text),
  PRICES_FILE: optionalSetting('a JSON file with your own model prices', text),
  MAX_CONCURRENT_RUNS: setting(
    'maximum number of runs per account that are executed at the same time',
    '100',
    integer(1, 1_000_000),
  ),
  WEBHOOK_BACKOFF_BASE_MS: setting(
    'delay in ms before the second attempt of a webhook',
    '30000',
    integer(1, 3_600_000),
  ),
  WEBHOOK_TIMEOUT_MS: setting('timeout in ms for a webhook receiver', '10000', integer(1, 60_000)),
  ALLOW_PRIVATE_NETWORK: setting('allow outbound requests to private addresses', 'false', flag),
  RUN_TIMEOUT_MS: setting(
    'timeout of a run in ms; only time in RUNNING counts',
    '1800000',
    integer(1, 604_800_000),
  ),
  TRUST_PROXY: setting(
    'proxies whose X-Forwarded-For is trusted: true, false, or comma-separated addresses and ranges',
    'false',
    trustedProxies,
  ),
  KEEP_EXECUTIONS_DAYS: setting('days to keep finished executions', '90', integer(1, 36_500)),
  KEEP_DELIVERIES_DAYS: setting('days to keep webhook deliveries', '30', integer(1, 36_500)),
  KEEP_AUDIT_DAYS: setting('days to keep the audit log, at least 30', '400', integer(30, 36_500)),
  KEEP_VERSIONS: optionalSetting(
    'versions to keep per workflow, besides the current one, the published one and those of kept runs',
    integer(1, 1_000_000),
    'unset: all',
  ),
  KEEP_OUTPUTS_DAYS: optionalSetting(
    'days to keep files of runs and previews that are no longer referenced',
    integer(1, 36_500),
    'unset: forever',
  ),
  ARRANGE_ON_WRITE: setting('arrange the board when a write changes its structure', 'false', flag),
  CDN_MODE: setting(
    'how media in a bucket are served: proxy or redirect',
    'proxy',
    oneOf(['proxy', 'redirect']),
  ),
  CODE_NODES: setting('offer the node that runs programs of users', 'true', flag),
  LOCAL_NODES: setting(
    'on, or off to hide the nodes that run models on this machine',
    'on',
    oneOf(['on', 'off']),
  ),
  LOCAL_PROCESSES: optionalSetting(
    'processes of this worker that run local models at the same time',
    integer(1, 64),
    'half of the cores, at least 1',
  ),
  LOCAL_MEMORY_MB: setting(
    'memory limit in MB of a process that runs local models',
    '1500',
    integer(256, 1_000_000),
  ),
  LOCAL_TIMEOUT_MS: setting(
    'time limit in ms of one call of a local model, such as a part of an image',
    '120000',
    integer(1000, 3_600_000),
  ),
  LOCAL_MODELS_DIR: optionalSetting('a folder with your own local models', toPath),
  SANDBOX_MODELS: setting('offer the local sandbox models', 'true', flag),
  TEMPLATES_DIR: optionalSetting('a folder with your own video templates as JSON', text),
  WORKFLOW_TEMPLATES_DIR: optionalSetting(
    'folders with your own workflow templates, separated like PATH',
    text,
  ),
  HIDE_TEMPLATES: setting(
    'names of shipped workflow templates to hide, separated by commas, or all',
    '',
    nameList,
    'none',
  ),
  SPEECH_COMMAND: optionalSetting('command of a local speech engine', text),
  FFMPEG_PATH: optionalSetting('path of an ffmpeg that is not on the PATH', text),
  CIMD: setting('let agents identify themselves by the URL of a metadata document', 'true', flag),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting(
    'URL of an OpenTelemetry collector for OTLP over HTTP; enables traces',
    httpUrl,
  ),
  OTEL_TRACES_SAMPLER: setting(
    'sampler that decides which traces are kept',
    'parentbased_always_on',
    oneOf(SAMPLERS),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting('fraction of traces to keep, for samplers that use one', '1', fraction),
  OTEL_SERVICE_NAME: setting('name of this service in traces', 'graphwright', text),
  TIMING_DIVISOR: setting(
    'divides intervals, delays and cache lifetimes of the service; for tests',
    '1',
    integer(1, 100),
  ),
  LOG_LEVEL: setting(
    'trace, debug, info, warn, error, fatal or silent',
    'info',
    oneOf(['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent']),
  ),
  GRAPHWRIGHT_URL: setting(
    'URL of a running service, for the command line',
    'http://localhost:3000',
    httpUrl,
  ),
  GRAPHWRIGHT_API_KEY: optionalSetting('API key for the command line', text),
  GRAPHWRIGHT_CREDENTIAL: optionalSetting(
    'key that `credentials add` stores, instead of one from stdin',
    text,
  ),
} satisfies Record<string, SettingDefinition<unknown>>;

type ParsedSettings = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

export interface Settings extends Omit<ParsedSettings, 'BASE_URL' | 'CDN_URL'> {
  readonly BASE_URL: string;
  readonly CDN_URL: string;
  /** The limits by plan name, with PLANS_FILE applied. */
  readonly plans: Readonly<Record<string, PlanLimits>>;
  /** The prices of PRICES_FILE, by node type, or by node type and model separated by a slash. */
  readonly prices: Readonly<Record<string, Price>>;
}

/** An invalid setting. The message names the variable and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Reads and checks every setting. Throws one SettingsError that names all invalid settings. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, { parse }]) => {
    const text = env[name];
    try {
      return [name, parse(text === '' ? undefined : text)];
    } catch (err) {
      problems.push(`${name} ${(err as Error).message}.`);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  const parsed = Object.fromEntries(entries) as ParsedSettings;
  if (parsed.ROLE !== 'all' && parsed.DATABASE_URL === undefined) {
    throw new SettingsError(
      `ROLE=${parsed.ROLE} requires DATABASE_URL. The embedded PostgreSQL supports only one process, with ROLE=all.`,
    );
  }
  if (parsed.DATABASE_DIRECT_URL !== undefined && parsed.DATABASE_URL === undefined)
    throw new SettingsError(
      'DATABASE_DIRECT_URL requires DATABASE_URL. The embedded PostgreSQL has no pooler.',
    );
  requireCompleteOpenId(parsed);
  requireCompleteMail(parsed);
  const plans = readPlans(parsed.PLANS_FILE);
  if (plans[parsed.DEFAULT_PLAN] === undefined) {
    throw new SettingsError(`DEFAULT_PLAN must be one of ${Object.keys(plans).join(', ')}.`);
  }
  const baseUrl = parsed.BASE_URL ?? `http://localhost:${parsed.PORT}`;
  return {
    ...parsed,
    BASE_URL: baseUrl,
    CDN_URL: parsed.CDN_URL ?? `${baseUrl}/cdn`,
    plans,
    prices: readPrices(parsed.PRICES_FILE),
  };
}

function requireCompleteOpenId({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }: ParsedSettings): void {
  const isSet = [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET].map(value => value !== undefined);
  if (new Set(isSet).size > 1)
    throw new SettingsError('Set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none.');
}

function requireCompleteMail({ SMTP_URL, MAIL_FROM }: ParsedSettings): void {
  if ((SMTP_URL === undefined) !== (MAIL_FROM === undefined))
    throw new SettingsError('Set both SMTP_URL and MAIL_FROM, or neither.');
}

/** Returns the rows of `--help`: name, default, meaning. */
export function listSettings(): readonly {
  readonly name: string;
  readonly defaultText: string;
  readonly help: string;
}[] {
  return Object.entries(SETTINGS).map(([name, { defaultText, help }]) => ({ name, defaultText, help }));
}

/** Returns the names of the environment variables that are no settings. */
export function listOtherVariables(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  return Object.keys(env).filter(name => env[name] !== '' && !Object.hasOwn(SETTINGS, name));
}

/** Returns the program's full path, or undefined if it is not on the PATH. */
export function findOnPath(program: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return (env.PATH ?? '')
    .split(delimiter)
    .filter(folder => isAbsolute(folder))
    .map(folder => join(folder, `${program}${suffix}`))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readPlans(file: string | undefined): Readonly<Record<string, PlanLimits>> {
  return file === undefined ? PLANS : { ...PLANS, ...readTable('PLANS_FILE', file, parsePlan) };
}

function readPrices(file: string | undefined): Readonly<Record<string, Price>> {
  return file === undefined ? {} : readTable('PRICES_FILE', file, parsePrice);
}

function readTable<T>(
  setting: string,
  file: string,
  parse: (name: string, value: unknown) => T,
): Readonly<Record<string, T>> {
  const path = resolve(file);
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isRecord(content)) throw new Error('it is not an object');
    return Object.fromEntries(Object.entries(content).map(([name, row]) => [name, parse(name, row)]));
  } catch (err) {
    throw new SettingsError(`${setting} (${path}) cannot be used: ${(err as Error).message}.`);
  }
}

function parsePrice(name: string, value: unknown): Price {
  const units: readonly string[] = PRICE_UNITS;
  const isPrice =
    isRecord(value) &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(
      ([unit, usd]) => units.includes(unit) && typeof usd === 'number' && Number.isFinite(usd) && usd >= 0,
    );
  if (isPrice) return value;
  throw new Error(`the price of ${name} must be an object of numbers of USD under ${units.join(', ')}`);
}

function parsePlan(name: string, value: unknown): PlanLimits {
  if (!isRecord(value)) throw new Error(`the limits of plan ${name} must be an object`);
  const limits = { ...(PLANS[name] ?? PLANS.free), ...value } as PlanLimits;
  const isCount = (value: unknown): boolean =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0;
  if (!isCount(limits.requestsPerMinute) || !isCount(limits.executionsPerMinute)) {
    throw new Error(`requestsPerMinute and executionsPerMinute of plan ${name} must be whole numbers`);
  }
  for (const limit of ['executionsPerDay', 'storageBytes'] as const) {
    if (limits[limit] !== null && !isCount(limits[limit]))
      throw new Error(`${limit} of plan ${name} must be a whole number or null`);
  }
  if (limits.runsUnpriced !== undefined && typeof limits.runsUnpriced !== 'boolean') {
    throw new Error(`runsUnpriced of plan ${name} must be true or false`);
  }
  return limits;
}
