// Stores apps, the addresses of their runs, the files that visitors upload, and used proofs of work.
import type { Control } from '../../graph/app-controls.ts';
import type { Tx } from '../../store/db.ts';
import { isNoneOfSql, joinShares, STRONGER_ROLE } from '../../store/permissions.ts';
import {
  all,
  allValues,
  first,
  firstValue,
  insertMissingRow,
  insertRow,
  matches,
  type PageRange,
  setExcluded,
  valueSet,
} from '../../store/rows.ts';
import { POSTER } from '../../store/workflows/workflows.ts';

export const AUDIENCES = ['workspace', 'signed_in', 'anyone'] as const;
export type Audience = (typeof AUDIENCES)[number];
export const APP_PAYERS = ['owner', 'visitor'] as const;
export type AppPayer = (typeof APP_PAYERS)[number];

export interface AppInput {
  readonly nodeId: string;
  readonly label?: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly group?: string;
  readonly control?: Control;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly maxLength?: number;
  readonly isRequired?: boolean;
  /** Whether visitors see the value of the node. Absent: no, because earlier versions never showed it. */
  readonly showsDefault?: boolean;
}

/** The settings of an app that no statement filters by. */
export interface AppSettings {
  readonly title: string;
  readonly description: string | null;
  readonly inputs: readonly AppInput[];
  /** Node ids. */
  readonly outputs: readonly string[];
  /** By node id. */
  readonly outputLabels?: Readonly<Record<string, string>>;
  /** Execution ids. */
  readonly examples: readonly string[];
  readonly showsGraph: boolean;
  readonly allowsDuplicate: boolean;
  readonly showsGallery: boolean;
  readonly embedOrigins: readonly string[];
}

export interface NewApp {
  readonly id: string;
  readonly workflow_id: string;
  readonly slug: string;
  /** The user who saved the app last. Its runs start with the rights of this user. */
  readonly user_id: number;
  /** The API key with which the app was saved. */
  readonly key_id: string | null;
  readonly is_enabled: boolean;
  /** null for the current version. */
  readonly version: number | null;
  readonly audience: Audience;
  readonly payer: AppPayer;
  /** null for no limit. */
  readonly max_credits_per_run: number | null;
  readonly daily_credits: number | null;
  readonly runs_per_visitor: number | null;
  /** null for a share of the plan. */
  readonly runs_per_day: number | null;
  readonly upload_bytes_per_day: number | null;
  /** JSON text of AppSettings. */
  readonly settings: string;
}

export interface AppRow extends NewApp {
  readonly embed_key: Buffer | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The columns that saving an app replaces. */
const SAVED_COLUMNS = `slug, user_id, key_id, is_enabled, version, audience, payer, max_credits_per_run, daily_credits,
  runs_per_visitor, runs_per_day, upload_bytes_per_day, settings`;
const COLUMNS = `id, workflow_id, ${SAVED_COLUMNS}, embed_key, created_at, updated_at`.replaceAll(
  /\w+/g,
  'a.$&',
);

/** The number of earlier slugs that redirect to an app. */
const MAX_EARLIER_SLUGS = 20;

/**
 * Creates or replaces the app of a workflow. A replaced app keeps its id, embed key and earlier slugs, which redirect to
 * its new slug. Returns false if another app uses or used the slug; the transaction must then be rolled back.
 */
export async function saveApp(tx: Tx, app: NewApp): Promise<boolean> {
  const isSaved = await matches(
    tx,
    `with saved as (
       insert into apps (id, workflow_id, ${SAVED_COLUMNS})
       select id, workflow_id, ${SAVED_COLUMNS} from json_populate_record(null::apps, $1::json)
       on conflict (workflow_id) do update set ${setExcluded(SAVED_COLUMNS)}, updated_at = now()
       returning id, slug)
     insert into app_slugs as s (slug, app_id) select slug, id from saved
     on conflict (slug) do update set used_at = now() where s.app_id = excluded.app_id
     returning s.slug`,
    [JSON.stringify(app)],
  );
  await tx.query(
    `delete from app_slugs where slug in (
       select s.slug from app_slugs s join apps a on a.id = s.app_id
       where a.workflow_id = $1 and s.slug <> a.slug order by s.used_at desc offset $2)`,
    [app.workflow_id, MAX_EARLIER_SLUGS],
  );
  return isSaved;
}

export function findAppOfWorkflow(tx: Tx, workflowId: string): Promise<AppRow | undefined> {
  return first(tx, `select ${COLUMNS} from apps a where a.workflow_id = $1`, [workflowId]);
}

/** Returns the slug of the workflow's app if people without access to the workflow may open it. */
export function findPublicAppSlug(tx: Tx, workflowId: string): Promise<string | undefined> {
  return firstValue(
    tx,
    `select slug from apps where workflow_id = $1 and is_enabled and audience <> 'workspace'`,
    [workflowId],
  );
}

/** Finds an app by its current or an earlier slug, if its workflow was not deleted. */
export function findAppBySlug(tx: Tx, slug: string): Promise<AppRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS} from app_slugs s join apps a on a.id = s.app_id join workflows w on w.id = a.workflow_id
     where s.slug = $1 and w.deleted_at is null`,
    [slug],
  );
}

/** Lists the current slug of an app and its earlier slugs. */
export function listSlugs(tx: Tx, appId: string): Promise<readonly string[]> {
  return allValues(tx, 'select slug from app_slugs where app_id = $1', [appId]);
}

/** Returns the settings of the workflow's app if the app is enabled and runs the current version. */
export async function findCurrentAppSettings(tx: Tx, workflowId: string): Promise<AppSettings | undefined> {
  const row = await first<{ settings: string }>(
    tx,
    'select settings from apps where workflow_id = $1 and version is null and is_enabled',
    [workflowId],
  );
  return row && (JSON.parse(row.settings) as AppSettings);
}

/** Deletes the app. Its executions stay. */
export function deleteApp(tx: Tx, workflowId: string): Promise<boolean> {
  return matches(tx, 'delete from apps where workflow_id = $1', [workflowId]);
}

export async function setEmbedKey(tx: Tx, id: string, encrypted: Buffer): Promise<void> {
  await tx.query('update apps set embed_key = $2, updated_at = now() where id = $1', [id, encrypted]);
}

/** Returns which of the executions are completed runs of the workflow. */
export function listCompletedRuns(
  tx: Tx,
  workflowId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return valueSet(
    tx,
    `select id from executions where id = any ($2::text[]) and workflow_id = $1 and status = 'COMPLETED'`,
    [workflowId, ids],
  );
}

export interface RequestOfRun {
  readonly id: string;
  readonly workflow_version: number;
  /** null if it is too long. */
  readonly request: string | null;
}

/** Returns the requests of those executions that belong to the workflow, in the order of the ids. */
export function listRequests(
  tx: Tx,
  workflowId: string,
  ids: readonly string[],
  maxBytes: number,
): Promise<readonly RequestOfRun[]> {
  return all(
    tx,
    `select id, workflow_version, case when octet_length(request) <= $3 then request end as request from executions
     where id = any ($2::text[]) and workflow_id = $1 order by array_position($2::text[], id)`,
    [workflowId, ids, maxBytes],
  );
}

export interface ListedApp extends Omit<AppRow, 'embed_key'> {
  /** Whether the reader may edit the workflow. */
  readonly can_edit: boolean;
  /** Runs of the last 30 days, and the credits charged for them. */
  readonly runs: number;
  readonly credits: number;
  /** The poster of the workflow, `med_…/name`, if the reader may edit it. */
  readonly poster: string | null;
}

/**
 * Lists, newest first, the apps of workflows in the user's workspaces or shared with the user, and enabled apps that
 * are open to everyone who is signed in.
 */
export function listApps(
  tx: Tx,
  {
    userId,
    workflowId,
    withoutTeams,
  }: {
    readonly userId: number;
    readonly workflowId: string | null;
    /** Leaves out the apps of these teams. */
    readonly withoutTeams: readonly string[];
  },
  page: PageRange<string>,
): Promise<readonly ListedApp[]> {
  return all(
    tx,
    `select l.*, s.runs, s.credits, p.poster from (
       select ${COLUMNS.replace(', a.embed_key', '')},
         coalesce(case when w.team_id is null then w.user_id = $1 else m.role in ('OWNER', 'EDITOR') end, false)
           or coalesce(${STRONGER_ROLE} in ('OWNER', 'EDIT'), false) as can_edit
       from apps a join workflows w on w.id = a.workflow_id and w.deleted_at is null
       left join team_members m on m.team_id = w.team_id and m.user_id = $1
       ${joinShares('$1')}
       where ($2::text is null or a.id < $2) and ($4::text is null or a.workflow_id = $4)
         and ${isNoneOfSql('w.team_id', '$5')}
         and (m.role is not null or p.role is not null or s.role is not null or (w.team_id is null and w.user_id = $1)
           or (a.is_enabled and a.audience = 'signed_in'))
     ) l
     cross join lateral (
       select count(*) as runs, coalesce(sum(c.charged), 0)::bigint as credits
       from app_runs r left join run_credits c on c.execution_id = r.execution_id
       where l.can_edit and r.app_id = l.id and r.created_at > now() - interval '30 days') s
     left join lateral (select ${POSTER} as poster from workflows w where w.id = l.workflow_id and l.can_edit) p on true
     where l.is_enabled or l.can_edit
     order by l.id desc limit $3`,
    [userId, page.after, page.limit, workflowId, withoutTeams],
  );
}

export interface AppRunRow {
  /** The secret part of the run's address. */
  readonly id: string;
  readonly app_id: string;
  readonly execution_id: string;
  /** The first id of the visitor who started the run. */
  readonly visitor: string;
  readonly in_gallery: boolean;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const RUN_COLUMNS = 'r.id, r.app_id, r.execution_id, r.visitor, r.in_gallery, r.created_at, r.expires_at';

/** Stores the address of a run before the run is accepted. */
export function insertAppRun(tx: Tx, run: Omit<AppRunRow, 'in_gallery'>): Promise<void> {
  return insertRow(tx, 'app_runs', run);
}

/** Deletes the address of a run that was not accepted. */
export async function deleteAppRun(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from app_runs where id = $1', [id]);
}

export function findAppRun(tx: Tx, appId: string, id: string): Promise<AppRunRow | undefined> {
  return first(tx, `select ${RUN_COLUMNS} from app_runs r where r.app_id = $1 and r.id = $2`, [appId, id]);
}

export function findAppRunOfExecution(tx: Tx, executionId: string): Promise<AppRunRow | undefined> {
  return first(tx, `select ${RUN_COLUMNS} from app_runs r where r.execution_id = $1`, [executionId]);
}

/** Lists the newest runs that the visitor can still read. The join leaves out runs that were not accepted. */
export function listRunsOfVisitor(
  tx: Tx,
  { appId, visitors }: { readonly appId: string; readonly visitors: readonly string[] },
  limit: number,
): Promise<readonly AppRunRow[]> {
  return all(
    tx,
    `select ${RUN_COLUMNS} from app_runs r join executions e on e.id = r.execution_id
     where r.app_id = $1 and r.visitor = any ($2::text[]) and r.expires_at > now()
     order by r.created_at desc limit $3`,
    [appId, visitors, limit],
  );
}

/** Lists the completed runs among the newest 200 runs of an app, whoever started them. */
export function listCompletedAppRuns(tx: Tx, appId: string, limit: number): Promise<readonly AppRunRow[]> {
  return all(
    tx,
    `select ${RUN_COLUMNS}
     from (select * from app_runs where app_id = $1 order by created_at desc limit 200) r
     join executions e on e.id = r.execution_id and e.status = 'COMPLETED'
     where r.in_gallery or r.expires_at > now()
     order by r.created_at desc limit $2`,
    [appId, limit],
  );
}

/** Lists the runs in the gallery of an app, newest first. */
export function listGalleryRuns(
  tx: Tx,
  appId: string,
  { after, limit }: PageRange<string>,
): Promise<readonly AppRunRow[]> {
  return all(
    tx,
    `select ${RUN_COLUMNS} from app_runs r join executions e on e.id = r.execution_id and e.status = 'COMPLETED'
     where r.app_id = $1 and r.in_gallery and ($2::text is null or r.id < $2)
     order by r.id desc limit $3`,
    [appId, after, limit],
  );
}

/** Adds a run to the gallery or removes the run from it. Runs in the gallery do not expire. */
export async function setInGallery(tx: Tx, id: string, inGallery: boolean): Promise<void> {
  await tx.query('update app_runs set in_gallery = $2 where id = $1', [id, inGallery]);
}

/** Records the use of a proof of work. Returns false if the proof was used before. */
export function recordProofOfWork(tx: Tx, challenge: string, expiresAt: Date): Promise<boolean> {
  return insertMissingRow(tx, 'app_proofs', { challenge, expires_at: expiresAt });
}

export function insertAppUpload(
  tx: Tx,
  {
    appId,
    mediaId,
    createdAt,
  }: { readonly appId: string; readonly mediaId: string; readonly createdAt: Date },
): Promise<void> {
  return insertRow(tx, 'app_uploads', { app_id: appId, media_id: mediaId, created_at: createdAt });
}

/** Returns which of the files were uploaded to the app after the time. */
export function listAppUploads(
  tx: Tx,
  appId: string,
  mediaIds: readonly string[],
  uploadedAfter: Date,
): Promise<ReadonlySet<string>> {
  return valueSet(
    tx,
    `select media_id from app_uploads
     where app_id = $1 and media_id = any ($2::text[]) and created_at >= $3`,
    [appId, mediaIds, uploadedAfter],
  );
}

/** Lists the files that visitors uploaded before the time. */
export function listUploadsOfVisitors(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<readonly { readonly media_id: string }[]> {
  return all(tx, 'select media_id from app_uploads where created_at < $1 order by created_at limit $2', [
    before,
    limit,
  ]);
}

/** Deletes the record of the upload. The file stays. */
export async function deleteAppUpload(tx: Tx, mediaId: string): Promise<void> {
  await tx.query('delete from app_uploads where media_id = $1', [mediaId]);
}

export function findApp(tx: Tx, id: string): Promise<AppRow | undefined> {
  return first(tx, `select ${COLUMNS} from apps a where a.id = $1`, [id]);
}

/** Returns the workspace of the app's workflow. */
export function findAppWorkspace(tx: Tx, id: string): Promise<string | undefined> {
  return firstValue(
    tx,
    `select coalesce(w.team_id, 'user:' || w.user_id) as workspace
     from apps a join workflows w on w.id = a.workflow_id where a.id = $1`,
    [id],
  );
}

/** Returns the errors, as JSON texts, of app runs from `fromRunId` on that failed in the last minutes, newest first. */
export function listRecentErrors(
  tx: Tx,
  { appId, fromRunId }: { readonly appId: string; readonly fromRunId: string },
  minutes: number,
): Promise<readonly string[]> {
  return allValues(
    tx,
    `select error from executions
     where origin_id = $1 and origin_key >= $3 and status = 'FAILED' and error is not null
       and finished_at > now() - $2::int * interval '1 minute'
     order by finished_at desc limit 20`,
    [appId, minutes, fromRunId],
  );
}
