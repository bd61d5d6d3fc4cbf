// Counts what visitors use of apps on a day (UTC).
import type { Tx } from '../../store/db.ts';
import { first, matches } from '../../store/rows.ts';

/** Runs and uploaded bytes of a day. */
export interface DayUse {
  readonly runs: number;
  readonly uploadBytes: number;
}

/** The limits of a day; null for no limit. */
export type DayLimits = { readonly [K in keyof DayUse]: number | null };

interface AddedUse {
  /** The id of an app, or `user:<id>` for all apps of a user. */
  readonly subject: string;
  /** An ISO date. */
  readonly day: string;
  readonly use: DayUse;
  readonly limits: DayLimits;
}

/**
 * Adds the use to that of the day unless a limit would be exceeded. Returns whether it was added. If a process whose clock
 * is ahead has begun a later day, the use counts for that day.
 */
export function addDayUse(tx: Tx, { subject, day, use, limits }: AddedUse): Promise<boolean> {
  return matches(
    tx,
    `insert into app_days as d (subject, day, runs, upload_bytes)
     select $1, $2::date, $3::int, $4::bigint
     where $3::int <= coalesce($5::bigint, $3::int) and $4::bigint <= coalesce($6::bigint, $4::bigint)
     on conflict (subject) do update set day = greatest(d.day, excluded.day),
       runs = case when d.day < excluded.day then 0 else d.runs end + excluded.runs,
       upload_bytes = case when d.day < excluded.day then 0 else d.upload_bytes end + excluded.upload_bytes
     where d.day < excluded.day
       or (d.runs + excluded.runs <= coalesce($5::bigint, d.runs + excluded.runs)
         and d.upload_bytes + excluded.upload_bytes <= coalesce($6::bigint, d.upload_bytes + excluded.upload_bytes))
     returning d.subject`,
    [subject, day, use.runs, use.uploadBytes, limits.runs, limits.uploadBytes],
  );
}

/** Undoes `addDayUse`, unless another day has begun. */
export async function removeDayUse(
  tx: Tx,
  { subject, day, use }: Pick<AddedUse, 'subject' | 'day' | 'use'>,
): Promise<void> {
  await tx.query(
    `update app_days set runs = greatest(0, runs - $3::int), upload_bytes = greatest(0, upload_bytes - $4::bigint)
     where subject = $1 and day = $2::date`,
    [subject, day, use.runs, use.uploadBytes],
  );
}

export async function readDayUse(tx: Tx, subject: string, day: string): Promise<DayUse> {
  const row = await first<{ runs: number; upload_bytes: number }>(
    tx,
    'select runs, upload_bytes from app_days where subject = $1 and day = $2::date',
    [subject, day],
  );
  return { runs: row?.runs ?? 0, uploadBytes: row?.upload_bytes ?? 0 };
}

/** Deletes the counts of days before this one. */
export async function deleteEarlierDays(tx: Tx, day: string): Promise<void> {
  await tx.query('delete from app_days where day < $1::date', [day]);
}
