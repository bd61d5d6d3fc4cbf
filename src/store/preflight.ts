// Checks at startup whether a PostgreSQL server is usable, before changing anything in it, and explains problems.
import { AppError, toError } from '../lib/errors.ts';
import type { Settings } from '../lib/settings.ts';
import { READ_ONLY, toServerUrls } from './connection/primary.ts';
import type { Tx } from './db.ts';
import { first } from './rows.ts';
import { requireSupportedVersion } from './server-version.ts';

interface ServerState {
  readonly account: string;
  readonly database: string;
  readonly is_read_only: boolean;
  readonly can_create_tables: boolean;
  readonly can_create_schema: boolean;
  readonly can_write: boolean;
  /** Where the statement timeout comes from. It is `client` unless a pooler dropped our setting. */
  readonly timeout_source: string;
  readonly clock_ms: number;
}

const SELECT_SERVER_STATE = `
select current_user as account, current_database() as database,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as can_create_tables,
  to_regnamespace('graphile_worker') is not null or has_database_privilege(current_database(), 'create') as can_create_schema,
  coalesce(has_table_privilege(to_regclass('schema_migrations'), 'insert'), true) as can_write,
  (select source from pg_settings where name = 'statement_timeout') as timeout_source,
  extract(epoch from clock_timestamp())::float8 * 1000 as clock_ms`;

/**
 * Checks the server and returns its clock in ms. Throws `unavailable` with the problem. `connection` is undefined for the
 * embedded server.
 */
export async function preflight(
  tx: Tx,
  connection: ConnectionSetting | undefined,
): Promise<{ readonly clockMs: number }> {
  try {
    await requireSupportedVersion(tx);
    const state = (await first<ServerState>(tx, SELECT_SERVER_STATE)) as ServerState;
    const problem = describeProblem(state, connection?.name ?? 'DATABASE_URL');
    if (problem !== undefined) throw new AppError('unavailable', problem);
    return { clockMs: state.clock_ms };
  } catch (err) {
    throw connection === undefined ? err : explainConnection(toError(err), connection);
  }
}

/**
 * Throws `unavailable` if the pooler and the direct connection lead to different databases. Returns a warning if
 * statements through the pooler have no time limit.
 */
export async function preflightPooler(pooled: Tx, direct: Tx, url: string): Promise<string | undefined> {
  try {
    const [pooledId, directId] = [await getDatabaseId(pooled), await getDatabaseId(direct)];
    if (pooledId.system !== directId.system || pooledId.database !== directId.database)
      throw new AppError('unavailable', DIFFERENT_DATABASES);
    const { rows } = await pooled.query<{ limit: string; account: string }>(
      `select current_setting('statement_timeout') as limit, current_user as account`,
    );
    const { limit, account } = rows[0] as { limit: string; account: string };
    return limit === '0' ? describeMissingLimit(account) : undefined;
  } catch (err) {
    throw explainConnection(toError(err), { ...PRIMARY, url });
  }
}

const DIFFERENT_DATABASES =
  'DATABASE_URL and DATABASE_DIRECT_URL point to different databases. Point both to the same one.';
const describeMissingLimit = (account: string): string =>
  `Statements through the pooler of DATABASE_URL have no time limit. Run "alter role ${account} set statement_timeout = '20s'" and restart the pooler.`;

const PRIMARY = { name: 'DATABASE_URL', alternative: 'unset it to use the embedded one' };
const DIRECT = {
  name: 'DATABASE_DIRECT_URL',
  alternative: 'unset it if DATABASE_URL points to PostgreSQL itself',
};

/** Returns the setting with the direct connection to PostgreSQL, or undefined for the embedded one. */
export function getDirectSetting({
  DATABASE_URL,
  DATABASE_DIRECT_URL,
}: Pick<Settings, 'DATABASE_URL' | 'DATABASE_DIRECT_URL'>): ConnectionSetting | undefined {
  if (DATABASE_DIRECT_URL !== undefined) return { ...DIRECT, url: DATABASE_DIRECT_URL };
  return DATABASE_URL === undefined ? undefined : { ...PRIMARY, url: DATABASE_URL };
}

function describeProblem(state: ServerState, setting: string): string | undefined {
  const { account, database } = state;
  if (state.timeout_source !== 'client') return describePooler(setting);
  if (state.is_read_only)
    return `The PostgreSQL server of ${setting} is read-only and may be a replica. Point ${setting} to the primary, or turn off default_transaction_read_only for ${account}.`;
  if (!state.can_create_tables || !state.can_write)
    return `The account ${account} may not create tables in the database ${database}. Make it the owner (alter database ${database} owner to ${account}), or grant create on its schema public and all privileges on its tables.`;
  if (!state.can_create_schema)
    return `The account ${account} may not create the schema of the queue in the database ${database}. Run "grant create on database ${database} to ${account}".`;
  return undefined;
}

const describePooler = (setting: string): string =>
  setting === DIRECT.name
    ? `${setting} points to a connection pooler such as PgBouncer. Point it to PostgreSQL itself.`
    : `${setting} points to a connection pooler such as PgBouncer. Point it to PostgreSQL itself, or set DATABASE_DIRECT_URL to the address of PostgreSQL.`;

/** A setting that contains a connection string. */
export interface ConnectionSetting {
  readonly name: string;
  readonly url: string;
  /** What to do instead of correcting the setting, as the end of a sentence. */
  readonly alternative: string;
}

type Explanation = (where: {
  readonly server: string;
  readonly account: string;
  readonly database: string;
  readonly setting: string;
  readonly alternative: string;
}) => string;

const describeNoResponse: Explanation = ({ server, setting, alternative }) =>
  `No PostgreSQL server responds at ${server}. Start it, correct ${setting}, or ${alternative}.`;
const describeRejection: Explanation = ({ server, account, setting }) =>
  `The PostgreSQL server at ${server} rejected ${account}. Correct the user and password in ${setting}, or pg_hba.conf. If the server requires encryption, add ?sslmode=require.`;

/** Explanations by the error code of the system or of PostgreSQL. */
const EXPLANATIONS_BY_CODE: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: describeNoResponse,
  ECONNRESET: describeNoResponse,
  EHOSTUNREACH: describeNoResponse,
  ENETUNREACH: describeNoResponse,
  ENOENT: describeNoResponse,
  ETIMEDOUT: describeNoResponse,
  EAI_AGAIN: ({ server, setting }) =>
    `The host name in ${server} cannot be resolved now. Correct ${setting} or the DNS settings.`,
  ENOTFOUND: ({ server, setting }) => `The host in ${server} was not found. Correct ${setting}.`,
  '28000': describeRejection,
  '28P01': describeRejection,
  '3D000': ({ server, database, setting }) =>
    `The PostgreSQL server at ${server} has no database ${database}. Create it (createdb ${database}), or correct ${setting}.`,
  [READ_ONLY]: ({ server, setting }) =>
    `None of the PostgreSQL servers at ${server} accepts writes. Wait until one is the primary, or correct ${setting}.`,
  '53300': ({ server }) =>
    `The PostgreSQL server at ${server} has no free connection. Raise max_connections: each process of this service uses 30.`,
  '57P03': ({ server }) =>
    `The PostgreSQL server at ${server} is starting or stopping. Try again in a moment.`,
};

/** Converts a connection failure to an error that says what to do. Returns other errors unchanged. */
function explainConnection(err: Error, { name: setting, url, alternative }: ConnectionSetting): Error {
  if (err instanceof AppError) return err;
  const root = getRootCause(err);
  const code = String((root as { readonly code?: unknown }).code ?? '');
  const isTimeout = /timeout/i.test(root.message);
  if (code === '08P01' && /startup parameter/.test(root.message))
    return new AppError('unavailable', describePooler(setting), { cause: err });
  const explain = EXPLANATIONS_BY_CODE[code] ?? (isTimeout ? describeNoResponse : undefined);
  return explain === undefined
    ? err
    : new AppError('unavailable', explain({ ...parseTarget(url), setting, alternative }), { cause: err });
}

function getRootCause(err: Error): Error {
  // A host with several addresses fails with one error for each.
  const { cause, errors } = err as Error & { readonly errors?: readonly Error[] };
  const innerError = cause instanceof Error ? cause : errors?.[0];
  return innerError === undefined ? err : getRootCause(innerError);
}

/** Parses the connection string into the parts that messages name, without the password. */
function parseTarget(url: string): Target {
  const targets = toServerUrls(url).map(parseServer);
  return { ...(targets[0] as Target), server: targets.map(({ server }) => server).join(', ') };
}

type Target = Omit<Parameters<Explanation>[0], 'setting' | 'alternative'>;

function parseServer(url: string): Target {
  // A Unix socket has no host, which only URLs of some schemes may omit.
  const { hostname, port, username, pathname, searchParams } = new URL(
    url.replace(/^postgres(ql)?:/, 'http:').replace(/\/\/([^@/]*@)?\//, '//$1socket/'),
  );
  const host = searchParams.get('host') ?? (hostname === 'socket' ? 'its socket' : hostname);
  const account = decodeURIComponent(username) || 'the account';
  return {
    server: port === '' ? host : `${host}:${port}`,
    account,
    database: decodeURIComponent(pathname.slice(1)) || account,
  };
}

interface DatabaseId {
  /** The identifier of the server's data. */
  readonly system: string;
  readonly database: string;
}

async function getDatabaseId(tx: Tx): Promise<DatabaseId> {
  const id = await first<DatabaseId>(
    tx,
    'select system_identifier::text as system, current_database() as database from pg_control_system()',
  );
  return id as DatabaseId;
}
