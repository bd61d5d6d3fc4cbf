// Checks that a PostgreSQL server is new enough.
import { AppError } from '../lib/errors.ts';
import type { Tx } from './db.ts';
import { firstValue } from './rows.ts';

const OLDEST_MAJOR = 15;

/** Throws `unavailable` if the server is older than PostgreSQL 15. */
export async function requireSupportedVersion(tx: Tx): Promise<void> {
  const problem = describeVersionProblem((await firstValue(tx, 'show server_version_num')) ?? '');
  if (problem !== undefined) throw new AppError('unavailable', problem);
}

/** Returns the problem with a `server_version_num` such as `150004`, or undefined if the version is supported. */
export function describeVersionProblem(versionNum: string): string | undefined {
  const number = Number.parseInt(versionNum, 10);
  if (number >= OLDEST_MAJOR * 10_000) return undefined;
  return `DATABASE_URL points to ${formatVersion(number)}, but Graphwright needs PostgreSQL ${OLDEST_MAJOR} or later. Upgrade it, or unset DATABASE_URL to use the embedded one.`;
}

// Until 9.6 the major version had two parts: 90603 is 9.6.3, 140011 is 14.11.
function formatVersion(number: number): string {
  if (Number.isNaN(number)) return 'a server that does not name its version';
  const major = Math.trunc(number / 10_000);
  if (major >= 10) return `PostgreSQL ${major}.${number % 10_000}`;
  return `PostgreSQL ${major}.${Math.trunc(number / 100) % 100}.${number % 100}`;
}

/** Returns the version as the server reports it, e.g. `18.1`. */
export function readServerVersion(db: Tx): Promise<string | undefined> {
  return firstValue(db, 'show server_version');
}
