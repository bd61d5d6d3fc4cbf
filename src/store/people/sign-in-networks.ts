// Networks from which people signed in.
import type { Tx } from '../db.ts';
import { matches } from '../rows.ts';

/** How long a good sign-in makes its network known. */
export const KNOWN_DAYS = 30;

/** SQL: whether there was a good sign-in of the user from the network lately. */
export const isKnownNetwork = (userId: string, network: string, now: string): string =>
  `exists (select from sign_in_networks n where n.user_id = ${userId} and n.network = ${network}
     and n.seen_at > ${now}::timestamptz - interval '${KNOWN_DAYS} days')`;

export function knowsNetwork(tx: Tx, userId: number, network: string, now: Date): Promise<boolean> {
  return matches(tx, `select where ${isKnownNetwork('$1::int', '$2::text', '$3')}`, [userId, network, now]);
}
