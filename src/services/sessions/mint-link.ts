// Links that set a password, once: of the first start, of an invitation, of a password that was forgotten.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto.ts';
import { AppError, invalidField } from '../../lib/errors.ts';
import type { Db, Tx } from '../../store/db.ts';
import { type LinkKind, type NewLink, offerLink, putLink } from '../../store/people/password-links.ts';
import { findUserByEmail } from '../../store/users.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { BOOTSTRAP_USER_ID } from '../accounts/bootstrap.ts';

/** What the command line has too. */
interface LinkDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: { readonly BASE_URL: string };
}

/** The address in `url` is shown once: only a hash of its token is stored. */
export interface PasswordLink {
  readonly url: string;
  readonly expiresAt: string | null;
}

const HOUR_MS = 3_600_000;
/** null: until it is used or replaced. */
const LIVES_MS: Readonly<Record<LinkKind, number | null>> = {
  setup: null,
  invite: 72 * HOUR_MS,
  reset: 24 * HOUR_MS,
};

/** Makes a link for the user, in place of the one there is. */
export async function mintLink(
  tx: Tx,
  deps: Pick<LinkDeps, 'now' | 'settings'>,
  userId: number,
  kind: LinkKind,
): Promise<PasswordLink> {
  const { row, link } = newLink(deps, userId, kind);
  await putLink(tx, row);
  return link;
}

/** The link for the first user to set a password by; undefined where there is a password or a link already. */
export async function offerSetUp(deps: LinkDeps): Promise<string | undefined> {
  const { row, link } = newLink(deps, BOOTSTRAP_USER_ID, 'setup');
  return (await offerLink(deps.db, row)) ? link.url : undefined;
}

// The kind stands before the random bits, so that the page knows what to ask for; only the stored kind counts.
function newLink(
  { now, settings }: Pick<LinkDeps, 'now' | 'settings'>,
  userId: number,
  kind: LinkKind,
): { readonly row: NewLink; readonly link: PasswordLink } {
  const token = `${kind}_${randomBytes(32).toString('base64url')}`;
  const life = LIVES_MS[kind];
  const expiresAt = life === null ? null : new Date(now() + life);
  return {
    row: { userId, kind, hash: sha256(token), expiresAt },
    // A fragment: it reaches no server's log.
    link: { url: `${settings.BASE_URL}/setup#${token}`, expiresAt: expiresAt?.toISOString() ?? null },
  };
}

/** `setup` is for the first user, the others are for the user of the email. Throws 404 for an unknown one. */
export async function createLink(
  deps: LinkDeps,
  actor: Actor,
  { kind, email }: { readonly kind: LinkKind; readonly email?: string | undefined },
): Promise<PasswordLink> {
  requireScope(actor, 'instance:admin');
  if ((kind === 'setup') === (email !== undefined)) {
    const message = kind === 'setup' ? 'must be absent; a setup link is for the first user' : 'is missing';
    throw invalidField('/email', message, 'The email');
  }
  const userId = email === undefined ? BOOTSTRAP_USER_ID : await getUserId(deps.db, email);
  return mintLink(deps.db, deps, userId, kind);
}

async function getUserId(tx: Tx, email: string): Promise<number> {
  const user = await findUserByEmail(tx, email.trim());
  if (user === undefined) throw new AppError('not_found', 'User not found. Check the email address.');
  return user.id;
}
