// Counts uses in fixed windows that all processes share.
import type { Tx } from './db.ts';
import { firstValue } from './rows.ts';

/**
 * Adds `block` uses of the key to the window, whatever the limit, and returns the total. A process whose clock is
 * behind counts in the newer window that others have started.
 */
export async function countUses(tx: Tx, key: string, windowStart: number, block: number): Promise<number> {
  return (await firstValue(
    tx,
    `insert into rate_windows as w (key, window_start, used) values ($1, $2, $3)
     on conflict (key) do update set
       used = case when w.window_start < excluded.window_start then 0 else w.used end + excluded.used,
       window_start = greatest(w.window_start, excluded.window_start)
     returning used`,
    [key, windowStart, block],
  )) as number;
}
