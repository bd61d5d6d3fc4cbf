// Reads what a failover of PostgreSQL could lose.
import type { Tx } from './db.ts';
import { first } from './rows.ts';

export interface Replication {
  /** The number of servers that follow this one. Logical subscribers and running backups count too. */
  readonly replicas: number;
  /** Whether a commit is confirmed only after a replica has stored it too. */
  readonly isSynchronous: boolean;
  /** Whether a commit is confirmed only after this server has stored it. */
  readonly isDurable: boolean;
}

const SELECT_REPLICATION = `
select (select count(*)::int from pg_stat_replication) as replicas,
  current_setting('synchronous_standby_names') <> '' as is_synchronous,
  current_setting('synchronous_commit') as commit_level`;

export async function readReplication(tx: Tx): Promise<Replication> {
  const row = await first<{ replicas: number; is_synchronous: boolean; commit_level: string }>(
    tx,
    SELECT_REPLICATION,
  );
  const { replicas = 0, is_synchronous = false, commit_level = 'on' } = row ?? {};
  return {
    replicas,
    isSynchronous: is_synchronous && commit_level !== 'local' && commit_level !== 'off',
    isDurable: commit_level !== 'off',
  };
}
