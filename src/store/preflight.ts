// Whether a PostgreSQL can be worked with at all, asked before anything is changed in it; what is wrong, in a sentence
// with the way out.
import { AppError, toError } from '../lib/errors.ts';
import type { Tx } from './db.ts';
import { checkServerVersion } from './server-version.ts';

interface Standing {
  readonly account: string;
  readonly database: string;
  readonly is_read_only: boolean;
  readonly may_make_tables: boolean;
  readonly may_make_schema: boolean;
  readonly may_write: boolean;
  readonly clock_ms: number;
}

const STANDING = `
select current_user as account, current_database() as database,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_make_tables,
  to_regnamespace('graphile_worker') is not null or has_database_privilege(current_database(), 'create') as may_make_schema,
  coalesce(has_table_privilege(to_regclass('schema_migrations'), 'insert'), true) as may_write,
  extract(epoch from clock_timestamp())::float8 * 1000 as clock_ms`;

/** The clock of the server, in ms. Throws AppError `unavailable` with a sentence; `url` undefined: the embedded one. */
export async function preflight(tx: Tx, url: string | undefined): Promise<{ readonly clockMs: number }> {
  try {
    await checkServerVersion(tx);
    const { rows } = await tx.query<Standing>(STANDING);
    const standing = rows[0] as Standing;
    const problem = judge(standing);
    if (problem !== undefined) throw new AppError('unavailable', problem);
    return { clockMs: standing.clock_ms };
  } catch (err) {
    throw url === undefined ? err : explainConnection(toError(err), { ...PRIMARY, url });
  }
}

const PRIMARY = { setting: 'DATABASE_URL', otherwise: 'unset it to use the embedded one' };

function judge(standing: Standing): string | undefined {
  const { account, database } = standing;
  if (standing.is_read_only)
    return `The PostgreSQL of DATABASE_URL is read-only, a replica perhaps: let DATABASE_URL lead to the primary, or turn default_transaction_read_only off for ${account}.`;
  if (!standing.may_make_tables || !standing.may_write)
    return `The account ${account} may not make tables in the database ${database}: make it the owner (alter database ${database} owner to ${account}), or grant create on its schema public and on all its tables.`;
  if (!standing.may_make_schema)
    return `The account ${account} may not make a schema in the database ${database}, which the queue needs: grant create on database ${database} to ${account}.`;
  return undefined;
}

/** A setting that leads to a PostgreSQL. */
export interface ConnectionSetting {
  readonly setting: string;
  readonly url: string;
  /** What else can be done, as the end of a sentence. */
  readonly otherwise: string;
}

type Explanation = (where: {
  readonly server: string;
  readonly account: string;
  readonly database: string;
  readonly setting: string;
  readonly otherwise: string;
}) => string;

const NO_ANSWER: Explanation = ({ server, setting, otherwise }) =>
  `No PostgreSQL answers at ${server}: start it, correct ${setting}, or ${otherwise}.`;
const REFUSED: Explanation = ({ server, account, setting }) =>
  `The PostgreSQL at ${server} does not let ${account} in: correct the user and password of ${setting}, or pg_hba.conf; where it asks for encryption add ?sslmode=require.`;

/** By the code of the system or of PostgreSQL. */
const EXPLAINED: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: NO_ANSWER,
  ECONNRESET: NO_ANSWER,
  EHOSTUNREACH: NO_ANSWER,
  ENETUNREACH: NO_ANSWER,
  ENOENT: NO_ANSWER,
  ETIMEDOUT: NO_ANSWER,
  EAI_AGAIN: ({ server, setting }) =>
    `The name of ${server} cannot be looked up now: correct ${setting}, or the resolver.`,
  ENOTFOUND: ({ server, setting }) => `There is no host of the name in ${server}: correct ${setting}.`,
  '28000': REFUSED,
  '28P01': REFUSED,
  '3D000': ({ server, database, setting }) =>
    `The PostgreSQL at ${server} has no database ${database}: make it (createdb ${database}), or correct ${setting}.`,
  '53300': ({ server }) =>
    `The PostgreSQL at ${server} has no connection left: raise max_connections; a process of this service takes 30.`,
  '57P03': ({ server }) => `The PostgreSQL at ${server} is starting or stopping: try again in a moment.`,
};

/** A connection that could not be made, as a sentence with the way out; any other error as it is. */
export function explainConnection(err: Error, { setting, url, otherwise }: ConnectionSetting): Error {
  if (err instanceof AppError) return err;
  const root = deepest(err);
  const code = String((root as { readonly code?: unknown }).code ?? '');
  const isLate = /timeout/i.test(root.message);
  const explain = EXPLAINED[code] ?? (isLate ? NO_ANSWER : undefined);
  return explain === undefined
    ? err
    : new AppError('unavailable', explain({ ...placeOf(url), setting, otherwise }), { cause: err });
}

function deepest(err: Error): Error {
  // A host of several addresses fails with one error for each.
  const { cause, errors } = err as Error & { readonly errors?: readonly Error[] };
  const inner = cause instanceof Error ? cause : errors?.[0];
  return inner === undefined ? err : deepest(inner);
}

/** Without the password. */
function placeOf(url: string): Omit<Parameters<Explanation>[0], keyof ConnectionSetting> {
  // A Unix socket has no host, which only URLs of some schemes may lack.
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
