// Records which versions of workflows call which components.
import { isId } from '../../lib/ids.ts';
import type { Tx } from '../db.ts';
import { isCreatorSql, isMemberSql, isNoneOfSql, isReadableSql, READABLE } from '../permissions.ts';
import { all, allValues, insertRows, lockName } from '../rows.ts';

/** The nodes of a workflow's version that call one version, or the latest version, of a component. */
export interface VersionCallRow {
  readonly component_id: string;
  /** null for the latest version. */
  readonly version: number | null;
  readonly node_ids: readonly string[];
  /** The user who added the call. */
  readonly user_id: number;
}

/** Lists the calls of these versions of a workflow, the newest version first. */
export function listVersionCalls(
  tx: Tx,
  callerId: string,
  versions: readonly number[],
): Promise<readonly VersionCallRow[]> {
  return all(
    tx,
    `select component_id, version, node_ids, user_id from version_calls
     where caller_id = $1 and caller_version = any ($2::int[]) order by caller_version desc, ordinal`,
    [callerId, versions],
  );
}

/** Stores the calls of a new version. */
export async function insertVersionCalls(
  tx: Tx,
  caller: { readonly id: string; readonly version: number },
  calls: readonly VersionCallRow[],
): Promise<void> {
  const rows = calls.map((call, index) => ({
    caller_id: caller.id,
    caller_version: caller.version,
    ordinal: index + 1,
    ...call,
  }));
  await insertRows(tx, 'version_calls', rows);
}

/** Excludes invalid ids, because a graph may name any text as a component, even text that PostgreSQL rejects. */
const isWorkflowId = (id: string): boolean => isId('workflow', id);

export interface ComponentRow {
  readonly id: string;
  readonly name: string;
  /** The current version of the component. */
  readonly version: number;
  readonly is_deleted: boolean;
}

/** Returns the workflows with these ids, including deleted ones. */
export function listComponents(tx: Tx, ids: readonly string[]): Promise<readonly ComponentRow[]> {
  return all(
    tx,
    `select id, name, version, deleted_at is not null as is_deleted from workflows where id = any ($1::text[])`,
    [ids.filter(isWorkflowId)],
  );
}

export interface ReadableWorkflowRow {
  readonly id: string;
  /** The version that the user sees. */
  readonly version: number;
  /** Whether the user may call only this version, because the user can read only the published version. */
  readonly is_only: boolean;
}

/** The reader of components. */
export interface ComponentReader {
  readonly userId: number;
  /** The teams whose second factor the reader lacks. */
  readonly closedTeams?: ReadonlySet<string>;
}

/** Lists the workflows with these ids that the user may read. */
export function listReadableWorkflows(
  tx: Tx,
  ids: readonly string[],
  { userId, closedTeams }: ComponentReader,
): Promise<readonly ReadableWorkflowRow[]> {
  return all(
    tx,
    `select w.id, not (${READABLE}) as is_only,
       case when ${READABLE} then w.version else coalesce(w.published_version, w.version) end as version
     from workflows w where w.id = any ($2::text[]) and w.deleted_at is null and (w.is_published or (${READABLE}))
       and ${isNoneOfSql('w.team_id', '$3')}`,
    [userId, ids.filter(isWorkflowId), [...(closedTeams ?? [])]],
  );
}

/**
 * Lists the ids of the workflows whose nodes the user may see in a run: the workflows that the user may read, and the
 * deleted workflows of the user and the user's teams.
 */
export async function listWorkflowsVisibleInRuns(
  tx: Tx,
  ids: readonly string[],
  { userId, closedTeams }: ComponentReader,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  return allValues(
    tx,
    `select w.id from workflows w where w.id = any ($2::text[])
     and ((w.deleted_at is null and w.is_published) or (${READABLE})
       or ${isCreatorSql('$1::int')} or ${isMemberSql('w.team_id', '$1::int')})
     and ${isNoneOfSql('w.team_id', '$3')}`,
    [userId, ids.filter(isWorkflowId), [...(closedTeams ?? [])]],
  );
}

/** A call of a component by a version of a workflow. */
export interface CallAccess {
  readonly caller_id: string;
  readonly caller_version: number;
  readonly component_id: string;
}

/** Lists these versions' calls to components that the user who added the call may no longer read. */
export function listForbiddenCalls(
  tx: Tx,
  versions: readonly { readonly workflowId: string; readonly version: number }[],
): Promise<readonly CallAccess[]> {
  return all(
    tx,
    `select c.caller_id, c.caller_version, c.component_id
     from unnest($1::text[], $2::int[]) as a (caller_id, caller_version)
     join version_calls c on c.caller_id = a.caller_id and c.caller_version = a.caller_version
     join workflows w on w.id = c.component_id
     where w.deleted_at is null and not w.is_published and not (${isReadableSql('c.user_id')})`,
    [versions.map(({ workflowId }) => workflowId), versions.map(({ version }) => version)],
  );
}

/** Lists the sizes of the versions in characters, except versions that do not exist. */
export function listVersionSizes(
  tx: Tx,
  versions: readonly { readonly workflowId: string; readonly version: number }[],
): Promise<readonly { readonly workflow_id: string; readonly version: number; readonly size: number }[]> {
  return all(
    tx,
    `select v.workflow_id, v.version, length(v.graph) as size
     from unnest($1::text[], $2::int[]) as a (workflow_id, version)
     join workflow_versions v on v.workflow_id = a.workflow_id and v.version = a.version`,
    [versions.map(({ workflowId }) => workflowId), versions.map(({ version }) => version)],
  );
}

/** Until this transaction ends, prevents other transactions from adding calls, which together could form a cycle. */
export function lockComponentCalls(tx: Tx): Promise<void> {
  return lockName(tx, 'graphwright.component_calls');
}

export interface CallEdge {
  readonly caller_id: string;
  readonly component_id: string;
}

/** Lists the calls that are reachable from the workflows through current versions. */
export function listReachableCalls(
  tx: Tx,
  ids: readonly string[],
  limit: number,
): Promise<readonly CallEdge[]> {
  return all(
    tx,
    `with recursive reached (caller_id, component_id) as (
       select c.caller_id, c.component_id from component_calls c where c.caller_id = any ($1::text[])
       union
       select c.caller_id, c.component_id from reached r join component_calls c on c.caller_id = r.component_id
     ) select caller_id, component_id from reached limit $2`,
    [ids, limit],
  );
}
