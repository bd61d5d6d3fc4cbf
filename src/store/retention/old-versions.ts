// Deletes old versions of workflows, except the newest versions and versions in use.
import type { Tx } from '../db.ts';
import { allValues } from '../rows.ts';
import { IS_RUN_AS_COMPONENT } from '../workflows/versions.ts';

/** Lists workflows with more than `keepCount` versions, ordered by id. */
export function listLongHistories(
  tx: Tx,
  page: { readonly afterId: string; readonly keepCount: number; readonly limit: number },
): Promise<readonly string[]> {
  return allValues(
    tx,
    `select workflow_id as id from workflow_versions where workflow_id > $1
     group by workflow_id having count(*) > $2 order by workflow_id limit $3`,
    [page.afterId, page.keepCount, page.limit],
  );
}

/**
 * The condition that the version `v` of the workflow `w` is neither among the newest nor in use: the version is not
 * current or published, and no run, app or other workflow uses it. A version that was current within the last day counts as used,
 * because requests may still read it.
 */
const IS_OLD = `v.workflow_id = $1 and w.id = $1 and v.version <> w.version and v.version is distinct from w.published_version
  and v.version < (
    select n.version from workflow_versions n where n.workflow_id = $1 and n.superseded_at is null
    order by n.version desc offset $2::int - 1 limit 1)
  and v.version < (
    select max(n.version) from workflow_versions n
    where n.workflow_id = $1 and n.created_at < now() - interval '1 day')
  and v.version <> all (array(select distinct e.workflow_version from executions e where e.workflow_id = $1))
  and not exists (select from apps a where a.workflow_id = $1 and a.version = v.version)
  and not exists (select from version_calls c where c.component_id = $1 and c.version = v.version)
  and not ${IS_RUN_AS_COMPONENT}`;

/**
 * Deletes the workflow's old versions except the newest `keepCount`. Requires a transaction: locks the versions first,
 * because only a later statement sees uses that were committed before the lock.
 */
export async function deleteOldVersions(tx: Tx, workflowId: string, keepCount: number): Promise<number> {
  const oldVersions = await allValues<number>(
    tx,
    `select v.version from workflow_versions v, workflows w where ${IS_OLD} for update of v skip locked`,
    [workflowId, keepCount],
  );
  if (oldVersions.length === 0) return 0;
  const { rowCount } = await tx.query(
    `delete from workflow_versions v using workflows w where ${IS_OLD} and v.version = any ($3::int[])`,
    [workflowId, keepCount, oldVersions],
  );
  return rowCount;
}
