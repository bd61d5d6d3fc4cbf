// Finds the primary of several PostgreSQL servers, as libpq does with `target_session_attrs=read-write`, and connects to it.
import pg from 'pg';

/** Shorter than the time limit of a connection, which includes the search. */
const PROBE_TIMEOUT_MS = 3000;

/** SQLSTATE read_only_sql_transaction: the server is a replica, or has become one. Nothing was changed. */
export const READ_ONLY = '25006';

// The first eight digits of the name of a WAL file are the timeline, which grows with each promotion.
const SELECT_TIMELINE = `
select case when pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' then null
  else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

// PostgreSQL reports these parameters when a session starts and when they change.
const READ_ONLY_PARAMETERS: ReadonlySet<string> = new Set([
  'in_hot_standby',
  'default_transaction_read_only',
]);

const HOSTS = /^(?<start>postgres(?:ql)?:\/\/(?:[^@/]*@)?)(?<hosts>[^/?@]*,[^/?@]*)(?<end>[/?].*)?$/;

/** Splits a URL with several hosts, as in `postgres://db1,db2:5433/graphwright`, into URLs with one host each. */
export function toServerUrls(url: string): readonly string[] {
  const { start = '', hosts = '', end = '' } = HOSTS.exec(url)?.groups ?? {};
  return hosts === '' ? [url] : hosts.split(',').map(host => `${start}${host}${end}`);
}

type Server = Pick<pg.Client, 'host' | 'port'>;

/**
 * Creates the class of clients that connect to the primary of these servers: to the one that accepts writes, or if several
 * do, to that of the highest timeline, because a primary that was cut off may come back after another server was promoted.
 * Connecting fails with the code `READ_ONLY` if servers respond, but none accepts writes.
 */
export function createPrimaryClient(config: pg.ClientConfig, urls: readonly string[]): typeof pg.Client {
  // All connections share a search, until one of them fails or is lost, which may be the first sign of a failover.
  let search: Promise<Server> | undefined;
  const forget = (): void => {
    search = undefined;
  };
  return class PrimaryClient extends pg.Client {
    #isReadOnly = false;

    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionString: urls[0] as string });
      this.on('error', forget);
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
        if (!READ_ONLY_PARAMETERS.has(parameterName) || parameterValue !== 'on') return;
        this.#isReadOnly = true;
        forget();
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (err: Error, client: pg.Client) => void): void;
    override connect(callback?: (err: Error, client: pg.Client) => void): Promise<pg.Client> | undefined {
      const connected = this.#connectToPrimary();
      if (callback === undefined) return connected;
      connected.then(
        client => callback(null as unknown as Error, client),
        (err: Error) => callback(err, this),
      );
      return undefined;
    }

    async #connectToPrimary(): Promise<pg.Client> {
      try {
        search ??= findPrimary(config, urls);
        const { host, port } = await search;
        this.host = host;
        this.port = port;
        await super.connect();
        if (this.#isReadOnly) throw createReadOnlyError([this]);
        return this;
      } catch (err) {
        forget();
        if (this.#isReadOnly) await this.end();
        throw err;
      }
    }
  };
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Asks all servers, because only the timelines of all show which of two primaries is the newer one. */
async function findPrimary(config: pg.ClientConfig, urls: readonly string[]): Promise<Server> {
  const probes = await Promise.allSettled(urls.map(url => probe({ ...config, connectionString: url })));
  const servers = probes.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
  const primaries = servers.filter(({ timeline }) => timeline !== null);
  const newest = primaries.reduce<Probe | undefined>(
    (best, server) => (best === undefined || (server.timeline ?? '') > (best.timeline ?? '') ? server : best),
    undefined,
  );
  if (newest !== undefined) return newest;
  const failure = probes.find(result => result.status === 'rejected');
  throw servers.length === 0 ? failure?.reason : createReadOnlyError(servers);
}

interface Probe extends Server {
  /** Eight hexadecimal digits, or null if the server accepts no writes. */
  readonly timeline: string | null;
}

async function probe(config: pg.ClientConfig): Promise<Probe> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Pick<Probe, 'timeline'>>(SELECT_TIMELINE);
    await client.end();
    return { host: client.host, port: client.port, timeline: rows[0]?.timeline ?? null };
  } catch (err) {
    client.connection.stream.destroy();
    throw err;
  }
}

const createReadOnlyError = (servers: readonly Server[]): Error =>
  Object.assign(
    new Error(
      `No primary: ${servers.map(({ host, port }) => `${host}:${port}`).join(', ')} accept no writes.`,
    ),
    { code: READ_ONLY },
  );
