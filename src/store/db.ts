// Opens connections to PostgreSQL and runs statements and transactions on them.
import pg from 'pg';
import { AppError, OutageError, toError } from '../lib/errors.ts';
import { getOrCreate } from '../lib/get-or-create.ts';
import { isConnectionLoss, isWrite } from './connection/loss.ts';
import { createPrimaryClient, READ_ONLY, toServerUrls } from './connection/primary.ts';
import { KEEP_ALIVE, limitPoolSilence, limitSilence, SERVER_KEEP_ALIVE } from './connection/silence.ts';

// Counts of type int8 fit in a double.
pg.types.setTypeParser(20, Number);

export interface Rows<R> {
  readonly rows: readonly R[];
  readonly rowCount: number;
}

/** Runs statements on the pool or in a transaction. The first parameter of every store function. */
export interface Tx {
  query<R = Record<string, unknown>>(statement: string, values?: readonly unknown[]): Promise<Rows<R>>;
}

/** A transaction that has begun. */
export interface Transaction extends Tx {
  /**
   * Runs the statement just before the commit, in the same message, so that it costs no round trip. It must be a constant with
   * `$1`, `$2` …; its result is not read. If it fails, the transaction is rolled back.
   */
  appendToCommit(statement: string, values: readonly (string | number | null)[]): void;
}

export interface Db extends Tx {
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs statements one after another on one connection, each in its own transaction. */
  inSequence<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Calls `onNotify` for each notification of the channels. Reconnects every `retryMs` after the connection was lost.
   * Returns a function that stops listening.
   */
  listen(
    channels: readonly string[],
    onNotify: (channel: string, payload: string) => void,
    retryMs: number,
  ): Promise<() => Promise<void>>;
  /** Runs `work` on a separate connection without time limits, then closes the connection. */
  withOwnConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  /** For graphile-worker, which runs its own statements. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface DbOptions {
  /** A connection string, which may name several hosts, or the folder of a Unix socket. */
  readonly connection:
    | { readonly url: string }
    | { readonly socketDir: string; readonly user: string; readonly database: string };
  readonly maxConnections: number;
  /** `pinned`: for statements that find every row by an index, on tables that grow faster than they are analyzed. */
  readonly plans?: 'pinned';
  /**
   * `pooler`: the server is a transaction pooler, which keeps no session state; `withOwnConnection` and `listen` do not
   * work.
   */
  readonly serverKind?: 'pooler';
  /** Time limit of a statement. */
  readonly timeoutMs?: number;
  readonly onError: (err: Error) => void;
}

const TIMEOUT_MS = 20_000;
/**
 * PostgreSQL cancels a statement at its time limit. A server that has not responded after this multiple of the limit
 * counts as unreachable.
 */
const SILENCE_FACTOR = 1.25;
const CONNECT_TIMEOUT_MS = 10_000;

// PostgreSQL plans a scan while a table is nearly empty, and keeps the plan until the next analyze. As the table grows,
// the plan gets slow: 6.4 ms instead of 1.1 ms for a batch of 15 runs after 24,000. These settings make plans use
// indexes from the start. Statements must select rows by a parameter (`id = any ($1)`), because a join scans a whole
// index while the table seems small.
const PINNED_PLANS =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** Opens the pool; connections are made on first use. */
export function openDb(options: DbOptions): Db {
  const { timeoutMs = TIMEOUT_MS } = options;
  const silenceMs = timeoutMs * SILENCE_FACTOR;
  const config = toPoolConfig(options, timeoutMs);
  const pool = new pg.Pool(config);
  const mode = options.serverKind === 'pooler' ? createPoolerMode(timeoutMs) : SESSION_MODE;
  let isClosing = false;
  const onError = (err: Error): void => {
    // The pool attaches the client to the error, which must not be logged.
    if ('client' in err) delete err.client;
    // While closing, lost connections are expected.
    if (!isClosing) options.onError(err);
  };
  pool.on('error', onError);
  pool.on('connect', client => client.on('error', onError));
  limitPoolSilence(pool, silenceMs);
  return {
    pool,
    query: (statement, values) => runInSequence(pool, mode, tx => tx.query(statement, values)),
    transaction: work => transact(pool, mode, work),
    inSequence: work => runInSequence(pool, mode, work),
    withOwnConnection: work => runOnOwnConnection(config, work, onError),
    listen: (channels, onNotify, retryMs) =>
      listen({ config, silenceMs, onError, retryMs }, channels, onNotify),
    close: () => {
      isClosing = true;
      return pool.end();
    },
  };
}

type PoolConfig = pg.PoolConfig & { readonly Client: typeof pg.Client };

function toPoolConfig(
  { connection, maxConnections, plans, serverKind }: DbOptions,
  timeoutMs: number,
): PoolConfig {
  const target =
    'url' in connection
      ? { connectionString: connection.url }
      : // Sets port and ssl, so that PGPORT and PGSSLMODE of the environment are ignored.
        {
          host: connection.socketDir,
          port: 5432,
          ssl: false,
          user: connection.user,
          database: connection.database,
        };
  // A pooler rejects session settings, because its connections are shared.
  const session = {
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    options: plans === 'pinned' ? `${SERVER_KEEP_ALIVE} ${PINNED_PLANS}` : SERVER_KEEP_ALIVE,
  };
  const config: pg.PoolConfig = {
    ...target,
    max: maxConnections,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    application_name: 'graphwright',
    ...(serverKind === 'pooler' ? {} : session),
    ...KEEP_ALIVE,
  };
  const urls = 'url' in connection ? toServerUrls(connection.url) : [];
  return { ...config, Client: urls.length > 1 ? createPrimaryClient(config, urls) : pg.Client };
}

/** How statements are executed: in our own session, or through a pooler. */
interface StatementMode {
  readonly begin: string;
  /** Returns the name of a prepared statement. If undefined, the statement is parsed and planned each time. */
  readonly toStatementName: (statement: string) => string | undefined;
}

const createPoolerMode = (timeoutMs: number): StatementMode => ({
  begin: `begin; set local statement_timeout = ${timeoutMs}; set local idle_in_transaction_session_timeout = ${timeoutMs}`,
  toStatementName: () => undefined,
});

// Names each statement, so that it is parsed and planned once per connection. The number of names is bounded, because
// the statements are constants of store/.
const statementNames = new Map<string, string>();

function getStatementName(statement: string): string {
  return getOrCreate(statementNames, statement, () => `s${statementNames.size}`);
}

const SESSION_MODE: StatementMode = { begin: 'begin', toStatementName: getStatementName };

async function runStatement<R>(
  client: pg.PoolClient,
  mode: StatementMode,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Rows<R>> {
  const name = mode.toStatementName(statement);
  const query = { text: statement, values: values as unknown[] };
  try {
    const result = await client.query(name === undefined ? query : { name, ...query });
    return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
  } catch (err) {
    throw translateError(toError(err), isWrite(statement));
  }
}

async function runInSequence<T>(
  pool: pg.Pool,
  mode: StatementMode,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await connect(pool);
  let releaseError: Error | undefined;
  try {
    return await work({ query: (statement, values) => runStatement(client, mode, statement, values) });
  } catch (err) {
    releaseError = toError(err);
    throw err;
  } finally {
    client.release(releaseError);
  }
}

/** Gets a connection from the pool. If this fails, no statement was sent. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (err) {
    throw translateError(toError(err), false);
  }
}

async function transact<T>(
  pool: pg.Pool,
  mode: StatementMode,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await connect(pool);
  let releaseError: Error | undefined;
  let hasWritten = false;
  let isCommitting = false;
  const lastStatements: string[] = [];
  const runControl = (statement: string): Promise<unknown> =>
    client.query(statement).catch((err: unknown) => {
      throw translateError(toError(err), hasWritten);
    });
  try {
    await runControl(mode.begin);
    const result = await work({
      query: (statement, values) => {
        hasWritten ||= isWrite(statement);
        return runStatement(client, mode, statement, values);
      },
      appendToCommit: (statement, values) => {
        hasWritten = true;
        lastStatements.push(insertValues(statement, values));
      },
    });
    isCommitting = true;
    await runControl([...lastStatements, 'commit'].join('; '));
    return result;
  } catch (err) {
    await client.query('rollback').catch((rollbackError: unknown) => {
      releaseError = toError(rollbackError);
    });
    // A server that has become a replica still answers.
    if (err instanceof OutageError) releaseError ??= err;
    // Only a connection lost during commit leaves the outcome unknown.
    if (err instanceof OutageError && !isCommitting) throw new OutageError(false, toError(err.cause));
    throw err;
  } finally {
    client.release(releaseError);
  }
}

/** Replaces the parameters of a statement by its values, because a message with several statements has no parameters. */
const insertValues = (statement: string, values: readonly (string | number | null)[]): string =>
  statement.replace(/\$(\d+)/g, (_, n: string) => {
    const value = values[Number(n) - 1] ?? null;
    return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
  });

/** Converts a lost connection to an OutageError, and text that PostgreSQL cannot store to `invalid_request`. */
function translateError(err: Error, mayHaveCommitted: boolean): Error {
  const code = (err as { code?: unknown }).code;
  if (isConnectionLoss(err)) return new OutageError(mayHaveCommitted && code !== READ_ONLY, err);
  // 22021 character_not_in_repertoire, 22P05 untranslatable_character: NUL or a lone surrogate in a text.
  if (code === '22021' || code === '22P05') {
    return new AppError(
      'invalid_request',
      'The request contains a character that cannot be stored (NUL or half of a surrogate pair).',
      { cause: err },
    );
  }
  return err;
}

// SQLSTATE classes: connection, deadlock and serialization, resources, locks, operator, system, internal.
const OUTAGE_CLASSES: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58', 'XX']);

/** Types of errors that our own code throws, not the database. */
const OWN_ERRORS = [AppError, RangeError, TypeError, SyntaxError] as const;

/**
 * Returns whether the same statement may succeed later, because the database could not be reached or had no resources.
 */
export function isOutage(err: unknown): boolean {
  if (OWN_ERRORS.some(type => err instanceof type)) return false;
  const code = (err as { code?: unknown }).code;
  const isSqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  return !isSqlState || OUTAGE_CLASSES.has(code.slice(0, 2));
}

/** Returns whether the error is a violation of this unique constraint. */
export function isUniqueViolation(err: unknown, constraint: string): boolean {
  return (
    err instanceof Error &&
    'code' in err &&
    err.code === '23505' &&
    'constraint' in err &&
    err.constraint === constraint
  );
}

async function runOnOwnConnection<T>(
  config: PoolConfig,
  work: (client: pg.Client) => Promise<T>,
  onError: (err: Error) => void,
): Promise<T> {
  const client = new config.Client({
    ...config,
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', onError);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

interface ListenerOptions {
  readonly config: PoolConfig;
  readonly silenceMs: number;
  readonly onError: (err: Error) => void;
  readonly retryMs: number;
}

async function listen(
  { config, silenceMs, onError, retryMs }: ListenerOptions,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
): Promise<() => Promise<void>> {
  let isClosed = false;
  let client: pg.Client;
  let timer: NodeJS.Timeout | undefined;
  let probe: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    const newClient = new config.Client(config);
    client = newClient;
    newClient.on('notification', message => onNotify(message.channel, message.payload ?? ''));
    newClient.on('error', err => {
      if (isClosed) return;
      onError(err);
      void newClient.end().catch(onError);
    });
    // The event is also emitted if the listener could not connect.
    newClient.on('end', () => {
      if (newClient === client) relisten();
    });
    await newClient.connect();
    limitSilence(newClient, silenceMs);
    for (const channel of channels) await newClient.query(`listen ${pg.escapeIdentifier(channel)}`);
    // A connection that only listens does not notice a lost server, so it sends queries.
    probe = setInterval(() => newClient.query('select 1').catch(() => undefined), silenceMs);
  };
  const retry = (): void =>
    void connect().catch((err: unknown) => {
      onError(toError(err));
      void client.end().catch(onError);
      relisten();
    });
  // Several events may report the same lost connection, which is replaced only once.
  const relisten = (): void => {
    clearInterval(probe);
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(retry, retryMs);
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    clearInterval(probe);
    clearTimeout(timer);
    await client.end();
  };
  // The caller gets no function to stop this listener, so the listener must not keep reconnecting.
  await connect().catch((err: unknown) => {
    void close().catch(onError);
    throw err;
  });
  return close;
}

/** Throws if the database does not respond. */
export async function pingDatabase(tx: Tx): Promise<void> {
  await tx.query('select 1');
}

/** Throws if the queue's tables cannot be read. */
export async function pingQueue(tx: Tx): Promise<void> {
  await tx.query('select from graphile_worker.jobs limit 1');
}

export const CHANNELS = {
  /** Execution ids, comma-separated: subscribed runs that have changed. */
  changed: 'graphwright_runs',
  /** Execution ids, comma-separated: runs to cancel. */
  cancel: 'graphwright_cancel',
  /** Execution ids, comma-separated: runs in a worker's memory that were woken. */
  woken: 'graphwright_woken',
  /** The id of a workflow that changed or whose subscribers changed. */
  workflows: 'graphwright_workflows',
  /** Provider names, comma-separated: the learned limit for their concurrent calls is lower. */
  limits: 'graphwright_limits',
  /** A constant text: a schedule may be due earlier than before. */
  schedules: 'graphwright_schedules',
  /** An empty text: the installed models have changed. */
  models: 'graphwright_models',
  /** Stream keys of users, comma-separated: their notices have changed. */
  notices: 'graphwright_notices',
  /** The key of an account that was disabled, deleted or otherwise changed (`store/accounts`). */
  accounts: 'graphwright_accounts',
} as const;

/** The payload on the channel `schedules`, which is also the key under which clocks subscribe to it. */
export const SCHEDULES_CHANGED = 'schedules';
