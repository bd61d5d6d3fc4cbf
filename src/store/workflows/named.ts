// Finds workflows by their names, for searches of their runs and files.
import type { Tx } from '../db.ts';
import { allValues } from '../rows.ts';

/** Lists the newest workflows of the workspace whose name contains the text. */
export function listWorkflowsNamed(
  tx: Tx,
  workspace: string,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<readonly string[]> {
  return allValues(
    tx,
    `select w.id from workflows w
     where (w.team_id = $1 or w.team_id is null and w.user_id = substring($1 from '^user:(\\d+)$')::int)
       and w.deleted_at is null and strpos(lower(w.name), lower($2::text)) > 0
     order by w.id desc limit $3`,
    [workspace, text, limit],
  );
}
