// Stores the finished segments of videos in progress.
import type { Tx } from '../../store/db.ts';
import { all, insertRow } from '../../store/rows.ts';

export interface RenderPart {
  readonly name: string;
  readonly file_id: string;
}

export function listParts(tx: Tx, scope: string): Promise<readonly RenderPart[]> {
  return all(tx, 'select name, file_id from render_parts where scope = $1', [scope]);
}

/** Stores a segment. Replaces a segment of the same name, whose file is then an orphan and is swept later. */
export function insertPart(tx: Tx, scope: string, { name, file_id }: RenderPart): Promise<void> {
  return insertRow(
    tx,
    'render_parts',
    { scope, name, file_id },
    'on conflict (scope, name) do update set file_id = excluded.file_id, created_at = now()',
  );
}

/** Deletes the segments of a scope. The caller must delete their files. */
export function deleteParts(tx: Tx, scope: string): Promise<readonly RenderPart[]> {
  return all(tx, 'delete from render_parts where scope = $1 returning name, file_id', [scope]);
}
