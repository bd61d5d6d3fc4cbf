// Media records; the bytes are in media storage under the same id.
import type { Tx } from './db.ts';

export interface MediaRow {
  readonly id: string;
  readonly user_id: number;
  readonly workspace: string;
  readonly name: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  readonly origin: 'upload' | 'output';
  readonly execution_id: string | null;
  readonly created_at: Date;
}

export type NewMedia = Omit<MediaRow, 'created_at'>;

const COLUMNS =
  'id, user_id, workspace, name, content_type, bytes, sha256, width, height, duration, origin, execution_id, created_at';

export async function findMedia(tx: Tx, id: string): Promise<MediaRow | undefined> {
  const { rows } = await tx.query<MediaRow>(`select ${COLUMNS} from media where id = $1`, [id]);
  return rows[0];
}

export async function insertMedia(tx: Tx, media: NewMedia): Promise<void> {
  await tx.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, width, height, duration, origin, execution_id,
       workflow_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, (select workflow_id from executions where id = $12))`,
    [
      media.id,
      media.user_id,
      media.workspace,
      media.name,
      media.content_type,
      media.bytes,
      media.sha256,
      media.width,
      media.height,
      media.duration,
      media.origin,
      media.execution_id,
    ],
  );
}

/** Whether the media is the user's own, or in a team of the user's. */
export async function mayUseMedia(tx: Tx, id: string, userId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from media m where m.id = $1 and (m.user_id = $2
       or exists (select from team_members t where t.team_id = m.workspace and t.user_id = $2))`,
    [id, userId],
  );
  return rowCount === 1;
}
