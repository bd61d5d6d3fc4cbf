// Direct shares of workflows.
import type { Tx } from './db.ts';
import { type After, all, matches } from './rows.ts';

export const SHARE_ROLES = ['VIEW', 'EDIT', 'OWNER'] as const;
export type ShareRole = (typeof SHARE_ROLES)[number];

export interface PermissionRow {
  readonly user_id: number;
  readonly name: string;
  readonly role: ShareRole;
  readonly created_at: Date;
}

/** By user id, after the cursor. */
export function listPermissions(
  tx: Tx,
  workflowId: string,
  page: After<number>,
): Promise<readonly PermissionRow[]> {
  return all(
    tx,
    `select p.user_id, u.name, p.role, p.created_at
     from workflow_permissions p join users u on u.id = p.user_id
     where p.workflow_id = $1 and p.user_id > $2 order by p.user_id limit $3`,
    [workflowId, page.after ?? 0, page.limit],
  );
}

/** Shares, or changes the role of a share there is. Returns when it was first shared. */
export async function upsertPermission(
  tx: Tx,
  permission: { readonly workflowId: string; readonly userId: number; readonly role: ShareRole },
): Promise<Date> {
  const { rows } = await tx.query<{ created_at: Date }>(
    `insert into workflow_permissions (workflow_id, user_id, role) values ($1, $2, $3)
     on conflict (workflow_id, user_id) do update set role = excluded.role returning created_at`,
    [permission.workflowId, permission.userId, permission.role],
  );
  return (rows[0] as { created_at: Date }).created_at;
}

/** Returns false where it was not shared with the user. */
export function deletePermission(tx: Tx, workflowId: string, userId: number): Promise<boolean> {
  return matches(tx, 'delete from workflow_permissions where workflow_id = $1 and user_id = $2', [
    workflowId,
    userId,
  ]);
}
