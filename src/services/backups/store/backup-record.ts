// Stores when the last backup was made and what it contains.

import type { Tx } from '../../../store/db.ts';
import { firstValue } from '../../../store/rows.ts';
import type { FileTotals } from './backup.ts';

export interface BackupRecord {
  /** The time of the snapshot. */
  readonly createdAt: string;
  readonly finishedAt: string;
  readonly databaseBytes: number;
  readonly media: FileTotals;
  readonly madeBy: 'command line' | 'download';
}

const KEY = 'last_backup';

export async function saveLastBackup(tx: Tx, record: BackupRecord): Promise<void> {
  await tx.query(
    'insert into instance (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [KEY, JSON.stringify(record)],
  );
}

/** Returns undefined if no backup was made. */
export async function findLastBackup(tx: Tx): Promise<BackupRecord | undefined> {
  const value = await firstValue<string>(tx, 'select value from instance where key = $1', [KEY]);
  return value === undefined ? undefined : (JSON.parse(value) as BackupRecord);
}
