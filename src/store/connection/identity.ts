// Identifies the database that a connection leads to, so that two settings can be compared.
import type { Tx } from '../db.ts';

export interface Identity {
  /** Of the server, and of all replicas that stream from it. */
  readonly system: string;
  readonly database: string;
  readonly is_replica: boolean;
}

const IDENTITY = `
select system_identifier::text as system, current_database() as database, pg_is_in_recovery() as is_replica
from pg_control_system()`;

export async function identify(tx: Tx): Promise<Identity> {
  const { rows } = await tx.query<Identity>(IDENTITY);
  return rows[0] as Identity;
}
