// Deletes old versions of workflows and the versions of deleted workflows, except versions in use.
import type { Tx } from '../db.ts';
import { all, allValues } from '../rows.ts';
import { IS_RUN_AS_COMPONENT } from '../workflows/versions.ts';

/** Lists workflows with more than `keepCount` versions, ordered by id. */
export function listLongHistories(
  tx: Tx,
  page: { readonly afterId: string; readonly keepCount: number; readonly limit: number },
): Promise<readonly { readonly id: string }[]> {
  return all(
    tx,
    `select workflow_id as id from workflow_versions where workflow_id > $1
     group by workflow_id having count(*) > $2 order by workflow_id limit $3`,
    [page.afterId, page.keepCount, page.limit],
  );
}

/** The condition that no run, app or other workflow uses the version `v` of the workflow $1. */
const IS_UNUSED = `v.version <> all (array(select distinct e.workflow_version from executions e where e.workflow_id = $1))
  and not exists (select from apps a where a.workflow_id = $1 and a.version = v.version)
  and not exists (select from version_calls c where c.component_id = $1 and c.version = v.version)
  and not ${IS_RUN_AS_COMPONENT}`;

/** The condition that the version `v` of the workflow `w` is neither current nor published. */
const IS_PAST = `v.version <> w.version and v.version is distinct from w.published_version`;

/**
 * The condition that the version `v` of the workflow `w` is neither among the newest nor in use. A version that was current
 * within the last day counts as used, because requests may still read it.
 */
const IS_OLD = `${IS_PAST}
  and v.version < (
    select n.version from workflow_versions n where n.workflow_id = $1 and n.superseded_at is null
    order by n.version desc offset $2::int - 1 limit 1)
  and v.version < (
    select max(n.version) from workflow_versions n
    where n.workflow_id = $1 and n.created_at < now() - interval '1 day')
  and ${IS_UNUSED}`;

/** Deletes the workflow's old versions except the newest `keepCount`. Requires a transaction. */
export function deleteOldVersions(tx: Tx, workflowId: string, keepCount: number): Promise<number> {
  return deleteVersions(tx, IS_OLD, [workflowId, keepCount]);
}

export interface DeletedWorkflow {
  readonly id: string;
  readonly deleted_at: Date;
}

/** Lists workflows that were deleted before a time and have versions, ordered by id. */
export function listDeletedWorkflows(
  tx: Tx,
  page: { readonly afterId: string; readonly before: Date; readonly limit: number },
): Promise<readonly DeletedWorkflow[]> {
  return all(
    tx,
    `select w.id, w.deleted_at from workflows w
     where w.deleted_at is not null and w.id > $1 and w.deleted_at < $2
       and exists (select from workflow_versions v where v.workflow_id = w.id)
     order by w.id limit $3`,
    [page.afterId, page.before, page.limit],
  );
}

/** Which versions of a deleted workflow to delete, if they are not in use. */
const OF_DELETED = {
  past: `w.deleted_at is not null and ${IS_PAST} and ${IS_UNUSED}`,
  all: `w.deleted_at is not null and ${IS_UNUSED}`,
} as const;

/** Deletes versions of a deleted workflow. Without the current one, it cannot be restored. Requires a transaction. */
export async function deleteVersionsOfDeleted(
  tx: Tx,
  workflowId: string,
  which: keyof typeof OF_DELETED,
): Promise<number> {
  // A restore waits, or has restored the workflow.
  await tx.query('select from workflows where id = $1 for no key update', [workflowId]);
  return deleteVersions(tx, OF_DELETED[which], [workflowId]);
}

/**
 * Deletes the versions `v` of the workflow `w` that meet the condition. Its id is the first value, $1. Locks the versions first, because only a later
 * statement sees uses that were committed before the lock.
 */
async function deleteVersions(tx: Tx, condition: string, values: readonly unknown[]): Promise<number> {
  const where = `v.workflow_id = $1 and w.id = $1 and ${condition}`;
  const versions = await allValues<number>(
    tx,
    `select v.version from workflow_versions v, workflows w where ${where} for update of v skip locked`,
    values,
  );
  if (versions.length === 0) return 0;
  const { rowCount } = await tx.query(
    `delete from workflow_versions v using workflows w where ${where} and v.version = any ($${values.length + 1}::int[])`,
    [...values, versions],
  );
  return rowCount;
}
