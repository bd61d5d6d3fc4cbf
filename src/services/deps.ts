// What every service function gets first: the outside world and the process's shared parts, made once by app.ts.
import type { Catalog } from '../graph/catalog.ts';
import type { GuardedFetch } from '../lib/fetch.ts';
import type { Logger } from '../lib/log.ts';
import type { Lru } from '../lib/lru.ts';
import type { Settings } from '../lib/settings.ts';
import type { Tracer } from '../lib/span.ts';
import type { WakeTimers } from '../lib/wake-timers.ts';
import type { Bucket } from '../media/s3.ts';
import type { MediaStorage } from '../media/storage.ts';
import type { NodeDefinition } from '../nodes/define.ts';
import type { Replica } from '../store/connection/replica.ts';
import type { Db, Tx } from '../store/db.ts';
import type { RateLimiter } from './accounts/rate-limits.ts';
import type { TokenAuthenticator } from './connections/access-tokens.ts';
import type { RunNotifier } from './run-notifier.ts';
import type { SessionAuthenticator } from './sessions/session-authenticator.ts';
import type { GraphVersions } from './workflows/graph-versions.ts';
import type { ViewCounts } from './workflows/view-counts.ts';
import type { FindInBatch } from './workflows/workflow-reads.ts';

/** failed: there will be another. */
export type AttemptOutcome = 'delivered' | 'failed' | 'exhausted';

/** The queue's pools. */
export type JobPool = 'runs' | 'deliveries' | 'renders';

/** JSON text with its ETag. */
export interface CatalogAnswer {
  /** What it was made of: models come and go. */
  readonly entries: Catalog['entries'];
  readonly text: string;
  readonly etag: string;
}

export interface Deps {
  readonly settings: Settings;
  readonly log: Logger;
  /** undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly now: () => number;
  readonly db: Db;
  /** Connections of the queue and the group commits, their plans pinned to indexes. */
  readonly runDb: Db;
  /** Reads lists and pages: by the replica where it is up to date, else as `db`. */
  readonly readDb: Tx;
  /** What `readDb` is, where there is one. */
  readonly replica: Replica | undefined;
  readonly storage: MediaStorage;
  /** The bucket that `storage` is; undefined: the local disk. */
  readonly bucket: Bucket | undefined;
  /** For addresses that users name; it trusts no origin. */
  readonly fetch: GuardedFetch;
  /** For addresses that the operator configured: they may be private. */
  readonly providerFetch: GuardedFetch;
  /** 32 bytes that seal stored secrets. */
  readonly secretsKey: Buffer;
  readonly catalog: Catalog;
  /** GET /nodes and GET /models, each made once a question. */
  readonly catalogAnswers: Lru<CatalogAnswer>;
  readonly findNode: (nodeType: string) => NodeDefinition | undefined;
  readonly versions: GraphVersions;
  /** Reads a workflow together with other readings of the same moment. */
  readonly findInBatch: FindInBatch;
  readonly runNotifier: RunNotifier;
  readonly limiter: RateLimiter;
  readonly sessions: SessionAuthenticator;
  /** Undefined: the authorization server is off. */
  readonly accessTokens: TokenAuthenticator | undefined;
  /** Wakes the queue's pools of this process when work of theirs falls due. */
  readonly wakeTimers: WakeTimers<JobPool>;
  readonly views: ViewCounts;
  /** Attempts of webhook deliveries by this process, by what came of them. */
  readonly attempts: Map<AttemptOutcome, number>;
}
