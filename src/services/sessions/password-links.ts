// Creates single-use links that set a password: for the first start, for invitations and for forgotten passwords.
import { encrypt, generateToken, sha256 } from '../../lib/crypto.ts';
import { createFieldError, requireFound } from '../../lib/errors.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Db, Tx } from '../../store/db.ts';
import { insertMail } from '../../store/mails.ts';
import {
  insertFirstLink,
  type LinkKind,
  type NewLink,
  upsertLink,
} from '../../store/people/password-links.ts';
import { findUser, findUserByEmail } from '../../store/users.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { BOOTSTRAP_USER_ID } from '../accounts/bootstrap.ts';

/** A small part of `Deps`, because the command line also creates links, without a running service. */
interface LinkDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: { readonly BASE_URL: string };
  /** Encrypts links in mails; the command line sends none. */
  readonly secretsKey?: Buffer;
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
  /** Default: by kind. */
  readonly lifetimeMs?: number | null;
}

/** A new link in parts, for a mail. */
interface LinkParts {
  /** The path of the link, with `{secret}` in place of the token. */
  readonly path: string;
  readonly token: string;
  readonly expiresAt: Date | null;
}

/** Creates a link for the user, replacing any existing one. */
export async function createPasswordLink(
  tx: Tx,
  deps: Pick<LinkDeps, 'now' | 'settings'>,
  newLink: NewPasswordLink,
): Promise<PasswordLink> {
  return presentLink(deps, await createLink(tx, deps, newLink));
}

/** Creates a link like `createPasswordLink`, and returns its parts. */
export async function createLink(
  tx: Tx,
  deps: Pick<LinkDeps, 'now'>,
  newLink: NewPasswordLink,
): Promise<LinkParts> {
  const { row, parts } = generateLink(deps, newLink);
  await upsertLink(tx, row);
  return parts;
}

export const presentLink = (
  { settings }: Pick<LinkDeps, 'settings'>,
  { path, token, expiresAt }: LinkParts,
): PasswordLink => ({
  url: settings.BASE_URL + path.replace('{secret}', token),
  expiresAt: expiresAt?.toISOString() ?? null,
});

/** Creates the first user's link. Returns its URL, or undefined if the user already has a password or a link. */
export async function createSetupLink(
  tx: Tx,
  deps: Pick<LinkDeps, 'now' | 'settings'>,
): Promise<string | undefined> {
  const { row, parts } = generateLink(deps, { userId: BOOTSTRAP_USER_ID, kind: 'setup' });
  return (await insertFirstLink(tx, row)) ? presentLink(deps, parts).url : undefined;
}

// The token starts with the kind, so that the page knows which form to show. Only the stored kind is authoritative.
function generateLink(
  { now }: Pick<LinkDeps, 'now'>,
  { userId, kind, next, lifetimeMs = LIFETIMES_MS[kind] }: NewPasswordLink,
): { readonly row: NewLink; readonly parts: LinkParts } {
  const token = `${kind}_${generateToken()}`;
  const expiresAt = lifetimeMs === null ? null : new Date(now() + lifetimeMs);
  // The token is in the fragment, which browsers do not send to servers.
  const path = `/setup${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}#{secret}`;
  return { row: { userId, kind, hash: sha256(token), expiresAt }, parts: { path, token, expiresAt } };
}

/** Creates a link for the first user (`setup`) or the user with the email. Throws 404 for an unknown email. */
export async function createLinkAsAdmin(
  deps: LinkDeps,
  actor: Actor,
  { kind, email, next }: Omit<NewPasswordLink, 'userId'> & { readonly email?: string | undefined },
): Promise<PasswordLink & Partial<Invitation>> {
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
    if (kind === 'invite') return createInvitation(tx, deps, admin, { userId, next });
    return createPasswordLink(tx, deps, { userId, kind, next });
  });
}

/** A link that sets a first password. */
export interface Invitation extends PasswordLink {
  /** Whether the link is mailed to the person. */
  readonly isMailed: boolean;
}

/** Creates a link for a new account, and mails it if mail is set up. */
export async function createInvitation(
  tx: Tx,
  deps: Pick<LinkDeps, 'now' | 'settings' | 'secretsKey'>,
  { userId: adminId }: UserActor,
  { userId, next }: Pick<NewPasswordLink, 'userId' | 'next'>,
): Promise<Invitation> {
  const parts = await createLink(tx, deps, { userId, kind: 'invite', next });
  const [user, admin] = [await findUser(tx, userId), await findUser(tx, adminId)];
  const isMailed =
    deps.secretsKey !== undefined &&
    user !== undefined &&
    (await insertMail(tx, {
      userId,
      address: user.email,
      account: `user:${adminId}`,
      kind: 'invitation',
      cause: `user:${userId}`,
      secret: encrypt(deps.secretsKey, parts.token),
      expiresAt: parts.expiresAt,
      content: {
        subject: 'Set up your account',
        paragraphs: [
          `${admin?.name ?? 'An administrator'} created an account for you at ${new URL(deps.settings.BASE_URL).host}, with the address ${user.email}.`,
          'Choose a password to sign in. The link is valid for three days and works once.',
        ],
        buttons: [{ label: 'Set your password', path: parts.path }],
        reason: 'an administrator created an account for this address',
      },
    }));
  return { ...presentLink(deps, parts), isMailed };
}

async function getUserId(tx: Tx, email: string): Promise<number> {
  const user = await findUserByEmail(tx, email.trim());
  return requireFound(user, 'User not found. Check the email address.').id;
}
