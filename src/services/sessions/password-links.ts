// Creates single-use links that set a password: for the first start, for invitations and for forgotten passwords.

import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto.ts';
import { createFieldError, requireFound } from '../../lib/errors.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Db, Tx } from '../../store/db.ts';
import {
  insertFirstLink,
  type LinkKind,
  type NewLink,
  upsertLink,
} from '../../store/people/password-links.ts';
import { findUserByEmail } from '../../store/users.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { BOOTSTRAP_USER_ID } from '../accounts/bootstrap.ts';

/** A small part of `Deps`, because the command line also creates links, without a running service. */
interface LinkDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: { readonly BASE_URL: string };
}

/** A link that sets a password. The URL is shown once, because only a hash of its token is stored. */
export interface PasswordLink {
  readonly url: string;
  readonly expiresAt: string | null;
}

const HOUR_MS = 3_600_000;
/** The lifetime by kind. Null if the link is valid until it is used or replaced. */
const LIFETIMES_MS: Readonly<Record<LinkKind, number | null>> = {
  setup: null,
  invite: 72 * HOUR_MS,
  reset: 24 * HOUR_MS,
};

interface NewPasswordLink {
  readonly userId: number;
  readonly kind: LinkKind;
  /** The path of the page that opens after the password is set. */
  readonly next?: string | undefined;
}

/** Creates a link for the user, replacing any existing one. */
export async function createPasswordLink(
  tx: Tx,
  deps: Pick<LinkDeps, 'now' | 'settings'>,
  newLink: NewPasswordLink,
): Promise<PasswordLink> {
  const { row, link } = generateLink(deps, newLink);
  await upsertLink(tx, row);
  return link;
}

/** Creates the first user's link. Returns its URL, or undefined if the user already has a password or a link. */
export async function createSetupLink(
  tx: Tx,
  deps: Pick<LinkDeps, 'now' | 'settings'>,
): Promise<string | undefined> {
  const { row, link } = generateLink(deps, { userId: BOOTSTRAP_USER_ID, kind: 'setup' });
  return (await insertFirstLink(tx, row)) ? link.url : undefined;
}

// The token starts with the kind, so that the page knows which form to show. Only the stored kind is authoritative.
function generateLink(
  { now, settings }: Pick<LinkDeps, 'now' | 'settings'>,
  { userId, kind, next }: NewPasswordLink,
): { readonly row: NewLink; readonly link: PasswordLink } {
  const token = `${kind}_${randomBytes(32).toString('base64url')}`;
  const lifetimeMs = LIFETIMES_MS[kind];
  const expiresAt = lifetimeMs === null ? null : new Date(now() + lifetimeMs);
  return {
    row: { userId, kind, hash: sha256(token), expiresAt },
    link: {
      // The token is in the fragment, which browsers do not send to servers.
      url: `${settings.BASE_URL}/setup${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}#${token}`,
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  };
}

/** Creates a link for the first user (`setup`) or the user with the email. Throws 404 for an unknown email. */
export async function createLinkAsAdmin(
  deps: LinkDeps,
  actor: Actor,
  { kind, email, next }: Omit<NewPasswordLink, 'userId'> & { readonly email?: string | undefined },
): Promise<PasswordLink> {
  const admin = requireScope(actor, 'instance:admin');
  if ((kind === 'setup') === (email !== undefined)) {
    const message = kind === 'setup' ? 'must be absent; a setup link is for the first user' : 'is missing';
    throw createFieldError('/email', message, 'The email');
  }
  const userId = email === undefined ? BOOTSTRAP_USER_ID : await getUserId(deps.db, email);
  return deps.db.transaction(async tx => {
    recordAudit(tx, admin, {
      action: 'password.link_created',
      target: toUserTarget(userId),
      after: { kind },
    });
    return createPasswordLink(tx, deps, { userId, kind, next });
  });
}

async function getUserId(tx: Tx, email: string): Promise<number> {
  const user = await findUserByEmail(tx, email.trim());
  return requireFound(user, 'User not found. Check the email address.').id;
}
