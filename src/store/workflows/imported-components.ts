// Stores which workflows were imported as components, by a hash of their content.
import type { Tx } from '../db.ts';
import { first, insertRow } from '../rows.ts';

export interface ImportedComponentRow {
  readonly id: string;
  /** The current version of the workflow. */
  readonly version: number;
}

/** Returns the workflow whose version 1 has this content, if the workflow is still in the personal workspace. */
export function findImportedComponent(
  tx: Tx,
  { userId, workspace, hash }: { readonly userId: number; readonly workspace: string; readonly hash: Buffer },
): Promise<ImportedComponentRow | undefined> {
  return first(
    tx,
    `select w.id, w.version from imported_components i
     join workflows w on w.id = i.workflow_id and w.user_id = $3 and w.team_id is null and w.deleted_at is null
     join workflow_versions v on v.workflow_id = w.id and v.version = 1
     where i.workspace = $1 and i.hash = $2`,
    [workspace, hash, userId],
  );
}

/** Records the content of the workflow. Replaces an earlier workflow with the same content. */
export function upsertImportedComponent(
  tx: Tx,
  {
    workspace,
    hash,
    workflowId,
  }: { readonly workspace: string; readonly hash: Buffer; readonly workflowId: string },
): Promise<void> {
  return insertRow(
    tx,
    'imported_components',
    { workspace, hash, workflow_id: workflowId },
    'on conflict (workspace, hash) do update set workflow_id = excluded.workflow_id',
  );
}
