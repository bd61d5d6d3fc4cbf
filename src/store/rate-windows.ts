// Counts uses in fixed time windows that all processes share.
import type { Tx } from './db.ts';
import { all, firstValue } from './rows.ts';

/**
 * Adds `uses` to the key's count in the window and returns the new count. If another process has already started a newer
 * window, adds the uses to the count of that window.
 */
export async function addUses(tx: Tx, key: string, windowStart: number, uses: number): Promise<number> {
  return (await firstValue(
    tx,
    `insert into rate_windows as w (key, window_start, used) values ($1, $2, $3)
     on conflict (key) do update set
       used = case when w.window_start < excluded.window_start then 0 else w.used end + excluded.used,
       window_start = greatest(w.window_start, excluded.window_start)
     returning used`,
    [key, windowStart, uses],
  )) as number;
}

/** Returns the counts of the keys in the window. Keys without uses are left out. */
export async function listUses(
  tx: Tx,
  keys: readonly string[],
  windowStart: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await all<{ readonly key: string; readonly used: number }>(
    tx,
    'select key, used from rate_windows where key = any ($1::text[]) and window_start = $2',
    [keys, windowStart],
  );
  return new Map(rows.map(({ key, used }) => [key, used]));
}
