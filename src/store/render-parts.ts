// Finished parts of videos under way: which file of media storage holds which part.
import type { Tx } from './db.ts';

export interface RenderPart {
  readonly name: string;
  readonly file_id: string;
}

export async function listParts(tx: Tx, scope: string): Promise<readonly RenderPart[]> {
  const { rows } = await tx.query<RenderPart>('select name, file_id from render_parts where scope = $1', [
    scope,
  ]);
  return rows;
}

/** False where the scope has a part of that name already. */
export async function insertPart(tx: Tx, scope: string, { name, file_id }: RenderPart): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into render_parts (scope, name, file_id) values ($1, $2, $3) on conflict do nothing',
    [scope, name, file_id],
  );
  return rowCount === 1;
}

/** Forgets the parts of a scope; their files are the caller's to remove. */
export async function deleteParts(tx: Tx, scope: string): Promise<readonly RenderPart[]> {
  const { rows } = await tx.query<RenderPart>(
    'delete from render_parts where scope = $1 returning name, file_id',
    [scope],
  );
  return rows;
}
