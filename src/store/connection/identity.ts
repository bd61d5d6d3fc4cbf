// Identifies the database that a connection leads to, so that two settings can be compared.
import type { Tx } from '../db.ts';

export interface Identity {
  /** Of the server. */
  readonly system: string;
  readonly database: string;
}

const IDENTITY = `
select system_identifier::text as system, current_database() as database
from pg_control_system()`;

export async function identify(tx: Tx): Promise<Identity> {
  const { rows } = await tx.query<Identity>(IDENTITY);
  return rows[0] as Identity;
}
