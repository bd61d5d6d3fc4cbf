// Stores versions of workflow graphs, as the JSON text that GET returns. A version never changes.
import type { Tx } from '../db.ts';
import { all, first, firstValue, type PageRange } from '../rows.ts';

/** Returns the stored text, '"nodes":[…],"edges":[…]', or undefined if there is no such version. */
export function findGraphText(tx: Tx, workflowId: string, version: number): Promise<string | undefined> {
  return firstValue(tx, 'select graph from workflow_versions where workflow_id = $1 and version = $2', [
    workflowId,
    version,
  ]);
}

export interface NewVersion {
  readonly workflowId: string;
  readonly version: number;
  readonly graph: string;
  readonly userId: number;
  /** Absent for the first version, which the creator of the workflow writes. */
  readonly changes?: WrittenNodes;
}

/** The nodes of a version: those that its author changed or added, and those that are as in the version `base`. */
export interface WrittenNodes {
  readonly base: number;
  readonly changed: readonly string[];
  readonly kept: readonly string[];
  /** The creator of the workflow. */
  readonly creatorId: number;
}

const MEDIA_ID = /med_[0-9a-hjkmnp-tv-z]{26}/g;

/** Lists the distinct media ids in the text. */
export function findMediaIds(graph: string): readonly string[] {
  return [...new Set(graph.match(MEDIA_ID))];
}

/** Replaces media ids in the text, including those in URLs. */
export function replaceMediaIds(graph: string, ids: ReadonlyMap<string, string>): string {
  return ids.size === 0 ? graph : graph.replaceAll(MEDIA_ID, id => ids.get(id) ?? id);
}

export interface Autosave {
  /** The session or key that saves. */
  readonly editorId: string;
  /** A lower bound of the ids of executions of the version. */
  readonly runsFromId: string;
}

/** How long after the first autosave of a series a new autosave replaces the previous one. */
const AUTOSAVE_SPAN = "interval '10 minutes'";

/**
 * Stores an autosaved version under a new number. Supersedes the previous version if the same editor autosaved it and
 * no run, publication, app or caller uses it.
 */
export async function insertAutosave(
  tx: Tx,
  version: NewVersion,
  { editorId, runsFromId }: Autosave,
): Promise<void> {
  await tx.query(
    `update workflow_versions v set superseded_at = now()
     where v.workflow_id = $1 and v.version = $2 - 1 and v.autosaved_by = $3 and v.autosave_began_at > now() - ${AUTOSAVE_SPAN}
       and not exists (select from workflows w where w.id = v.workflow_id and w.published_version = v.version)
       and not ${IS_USED}`,
    [version.workflowId, version.version, editorId],
  );
  await insertVersion(tx, version);
  await tx.query(
    `update workflow_versions v set autosaved_by = $3, runs_from_id = $4, autosave_began_at = coalesce((
       select b.autosave_began_at from workflow_versions b
       where b.workflow_id = v.workflow_id and b.version = v.version - 1 and b.superseded_at is not null), now())
     where v.workflow_id = $1 and v.version = $2`,
    [version.workflowId, version.version, editorId, runsFromId],
  );
}

/** The condition that a run uses the version `v` because it calls the latest version of the component. */
export const IS_RUN_AS_COMPONENT = `exists (select from executions e
         where e.components is not null and e.components @> jsonb_build_object(v.workflow_id, v.version))`;

const IS_USED = `(exists (select from executions e
         where e.workflow_id = v.workflow_id and e.id >= v.runs_from_id and e.workflow_version = v.version)
       or exists (select from apps a where a.workflow_id = v.workflow_id and a.version = v.version)
       or exists (select from version_calls c where c.component_id = v.workflow_id and c.version = v.version)
       or ${IS_RUN_AS_COMPONENT})`;

/** Ends the current series of autosaves, so that the next autosave creates a new version. */
export async function closeAutosave(tx: Tx, workflowId: string, version: number): Promise<void> {
  await tx.query(
    `update workflow_versions set autosaved_by = null
     where workflow_id = $1 and version = $2 and autosaved_by is not null`,
    [workflowId, version],
  );
}

export interface VersionKey {
  readonly workflow_id: string;
  readonly version: number;
}

/** Prevents the deletion of the versions until the transaction ends. Returns the versions that exist. */
export function lockVersions(tx: Tx, versions: readonly VersionKey[]): Promise<readonly VersionKey[]> {
  return all(
    tx,
    `select v.workflow_id, v.version from unnest($1::text[], $2::int[]) as a (workflow_id, version)
     join workflow_versions v on v.workflow_id = a.workflow_id and v.version = a.version
     order by v.workflow_id, v.version for key share of v`,
    [versions.map(({ workflow_id }) => workflow_id), versions.map(({ version }) => version)],
  );
}

/**
 * Deletes versions of this workflow, or of all workflows, that were superseded over a minute ago. By then, every request
 * that read such a version as the current one has started its run. A version in use returns to the list instead. Requires
 * a transaction of its own, because it locks the accounts of the authors: locks the versions first, because only a later
 * statement sees uses that were committed before the lock.
 */
export async function deleteSuperseded(tx: Tx, workflowId: string | null, limit: number): Promise<number> {
  const supersededVersions = await all<VersionKey>(
    tx,
    `select v.workflow_id, v.version from workflow_versions v
     where ($1::text is null or v.workflow_id = $1) and v.superseded_at < now() - interval '1 minute'
     limit $2 for update skip locked`,
    [workflowId, limit],
  );
  if (supersededVersions.length === 0) return 0;
  const { rowCount } = await tx.query(
    `with old as (
       select v.workflow_id, v.version, ${IS_USED} as is_used from unnest($1::text[], $2::int[]) as o (workflow_id, version)
       join workflow_versions v on v.workflow_id = o.workflow_id and v.version = o.version
     ), relisted as (
       update workflow_versions v set superseded_at = null, autosaved_by = null
       from old o where o.is_used and v.workflow_id = o.workflow_id and v.version = o.version
     )
     delete from workflow_versions v using old o
     where not o.is_used and v.workflow_id = o.workflow_id and v.version = o.version`,
    [
      supersededVersions.map(({ workflow_id }) => workflow_id),
      supersededVersions.map(({ version }) => version),
    ],
  );
  return rowCount;
}

/**
 * Stores the graph and records which media it uses, so that the media are not deleted, and which nodes others than the
 * creator of the workflow wrote last.
 */
export async function insertVersion(tx: Tx, version: NewVersion): Promise<void> {
  const { changes } = version;
  const isByCreator = changes === undefined || version.userId === changes.creatorId;
  await tx.query(
    `with stored as (
       insert into workflow_versions (workflow_id, version, graph, user_id, nodes_by_others)
       values ($1, $2, $3, $4, coalesce((select ${KEPT_BY_OTHERS} from workflow_versions b
         where b.workflow_id = $1 and b.version = $6), $7::text[]) || $8::text[])
     )
     insert into workflow_media (media_id, workflow_id, version) select unnest($5::text[]), $1, $2`,
    [
      version.workflowId,
      version.version,
      version.graph,
      version.userId,
      findMediaIds(version.graph),
      changes?.base ?? null,
      changes?.kept ?? [],
      isByCreator ? [] : changes.changed,
    ],
  );
}

/**
 * The kept nodes that others than the creator wrote before. All of them, if nobody knows: in a version from before there
 * were records, and in a deleted version that is restored from a cache.
 */
const KEPT_BY_OTHERS = `case when b.nodes_by_others is not null
         then array(select unnest(b.nodes_by_others) intersect select unnest($7::text[])) end`;

/**
 * Returns the ids of the nodes of the version that others than the creator of the workflow wrote last; undefined if nobody
 * knows.
 */
export function findNodesByOthers(
  tx: Tx,
  workflowId: string,
  version: number,
): Promise<readonly string[] | undefined> {
  return firstValue(
    tx,
    'select nodes_by_others from workflow_versions where workflow_id = $1 and version = $2',
    [workflowId, version],
  );
}

export interface VersionRow {
  readonly version: number;
  readonly user_id: number;
  /** The name of the version's author. */
  readonly user_name: string;
  readonly created_at: Date;
}

const COLUMNS =
  'version, user_id, created_at, (select name from users u where u.id = v.user_id) as user_name';

/** Lists versions, newest first. Of consecutive autosaves, lists only the last. */
export function listVersions(
  tx: Tx,
  workflowId: string,
  page: PageRange<number>,
): Promise<readonly VersionRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from workflow_versions v
     where workflow_id = $1 and ($2::int is null or version < $2) and superseded_at is null
     order by version desc limit $3`,
    [workflowId, page.after, page.limit],
  );
}

export function findVersion(tx: Tx, workflowId: string, version: number): Promise<VersionRow | undefined> {
  return first(tx, `select ${COLUMNS} from workflow_versions v where workflow_id = $1 and version = $2`, [
    workflowId,
    version,
  ]);
}
