// Defines the dependencies that every service function takes first, created once by service.ts.
import type { Catalog } from '../graph/catalog.ts';
import type { Graph } from '../graph/types.ts';
import type { GuardedFetch } from '../lib/fetch.ts';
import type { Logger } from '../lib/log.ts';
import type { Lru } from '../lib/lru.ts';
import type { Settings } from '../lib/settings.ts';
import type { Tracer } from '../lib/span.ts';
import type { Timing } from '../lib/timing.ts';
import type { WakeTimers } from '../lib/wake-timers.ts';
import type { Bucket } from '../media/s3.ts';
import type { MediaStorage } from '../media/storage.ts';
import type { NodeDefinition } from '../nodes/define.ts';
import type { Db, Tx } from '../store/db.ts';
import type { NewMedia } from '../store/media/media.ts';
import type { FindWorkflowInGroup } from '../store/workflows/workflows.ts';
import type { KeyAuthenticator } from './accounts/key-authenticator.ts';
import type { RateLimiter } from './accounts/rate-limits.ts';
import type { ChangeHub } from './change-hub.ts';
import type { CredentialOpener, RunCredentials } from './credentials/credential.ts';
import type { Mailer } from './mails/smtp.ts';
import type { TokenAuthenticator } from './oauth/token-authenticator.ts';
import type { OutboundSlots } from './outbound-slots.ts';
import type { SessionAuthenticator } from './sessions/session-authenticator.ts';
import type { GraphVersions } from './workflows/graph-versions.ts';
import type { ViewCounts } from './workflows/view-counts.ts';

/** The outcome of an attempt to deliver a webhook. `failed`: another attempt follows. */
export type AttemptOutcome = 'delivered' | 'failed' | 'exhausted';

/** The outcome of an attempt to send a mail. `retried`: another attempt follows. */
export const MAIL_ATTEMPT_OUTCOMES = ['sent', 'retried', 'unconfirmed', 'failed'] as const;
export type MailAttemptOutcome = (typeof MAIL_ATTEMPT_OUTCOMES)[number];

/** The worker pools of the queue. `background` does everything that is neither a run nor a render. */
export type JobPool = 'runs' | 'background' | 'renders';

/** The seconds that calls of models take, by provider and endpoint, as far as they were measured. */
export interface ModelSeconds {
  readonly secondsByModel: ReadonlyMap<string, number>;
  /** Identifies these seconds. */
  readonly hash: string;
}

/** JSON text with its ETag. */
export interface CatalogResponse {
  /** The entries from which the text was built. They are replaced when models change. */
  readonly entries: Catalog['entries'];
  readonly text: string;
  readonly etag: string;
}

export interface Deps {
  readonly settings: Settings;
  readonly timing: Timing;
  readonly log: Logger;
  /** Undefined if tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly now: () => number;
  readonly db: Db;
  /** Connections for the queue and group commits, with plans pinned to indexes. */
  readonly runDb: Db;
  readonly storage: MediaStorage;
  /** Inserts the row of a stored file, in a transaction with concurrent ones. Throws `storage_quota_exceeded`. */
  readonly insertMediaInGroup: (row: NewMedia) => Promise<void>;
  /** The bucket of `storage`; undefined if it is the local disk. */
  readonly bucket: Bucket | undefined;
  /** Fetches addresses that users supply. Trusts no origin. */
  readonly fetch: GuardedFetch;
  /** Fetches addresses that the operator configured, which may be private. */
  readonly providerFetch: GuardedFetch;
  /** 32 bytes that encrypt stored secrets. */
  readonly secretsKey: Buffer;
  /** Opens the credentials of calls. */
  readonly credentialOpener: CredentialOpener;
  /** The credentials of the settings, as a run records them. */
  readonly environmentCredentials: RunCredentials;
  /** The ports of this machine on which servers of models are looked for. */
  readonly localPorts: readonly number[];
  readonly catalog: Catalog;
  /** The responses of GET /nodes and GET /models, cached per query. */
  readonly catalogResponses: Lru<CatalogResponse>;
  /** Returns how long calls of the models take. */
  readonly modelSeconds: () => Promise<ModelSeconds>;
  readonly findNode: (nodeType: string) => NodeDefinition | undefined;
  readonly versions: GraphVersions;
  /** Reads a workflow, batched with concurrent reads. */
  readonly findWorkflowInGroup: FindWorkflowInGroup;
  readonly changeHub: ChangeHub;
  readonly rateLimiter: RateLimiter;
  readonly keys: KeyAuthenticator;
  readonly sessions: SessionAuthenticator;
  /** Undefined if the authorization server is off. */
  readonly accessTokens: TokenAuthenticator | undefined;
  /** Wakes the queue's pools of this process when work is due. */
  readonly wakeTimers: WakeTimers<JobPool>;
  /** The slots of this process for jobs that wait for the servers of users. */
  readonly outboundSlots: OutboundSlots;
  readonly views: ViewCounts;
  /** Throws 409 `app_would_break` if the app of the workflow cannot use the new graph. */
  readonly requireAppCompatible: (tx: Tx, workflowId: string, getGraph: () => Graph) => Promise<void>;
  /** Returns the slug of the workflow's app if everyone may open the app. */
  readonly findPublicAppSlug: (tx: Tx, workflowId: string) => Promise<string | undefined>;
  /** The number of delivery attempts that this process made, by outcome. */
  readonly deliveryCounts: Map<AttemptOutcome, number>;
  /** Sends mails; undefined if no mail server is configured. */
  readonly mailer: Mailer | undefined;
  /** The number of attempts to send a mail that this process made, by outcome. */
  readonly mailCounts: Map<MailAttemptOutcome, number>;
}
