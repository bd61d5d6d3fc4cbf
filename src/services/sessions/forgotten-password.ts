// Sends links for forgotten passwords by mail. The request only queues a job, so that its response tells nothing about the
// account: not its existence, and not by its time.
import { encrypt, sha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import { insertMail, isMailStored } from '../../store/mails.ts';
import { hasIdentityAt, isManagedAccount } from '../../store/people/identities.ts';
import { enqueue } from '../../store/queue.ts';
import { findPasswordHash, findUserByEmail, type UserRow } from '../../store/users.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import { BOOTSTRAP_USER_ID } from '../accounts/bootstrap.ts';
import { parseEmail } from '../accounts/names.ts';
import type { Deps } from '../deps.ts';
import { createLink } from './password-links.ts';
import type { Visitor } from './start-session.ts';

const HOUR_SECONDS = 3600;
const PER_NETWORK = 20;
const PER_ADDRESS = 3;

/** Queues a mail with a link. Throws 409 without a mail server, and 429. */
export async function requestNewPassword(
  { db, rateLimiter, mailer }: Pick<Deps, 'db' | 'rateLimiter' | 'mailer'>,
  { email }: { readonly email: string },
  { network }: Pick<Visitor, 'network'>,
): Promise<void> {
  const address = parseEmail(email).toLowerCase();
  if (mailer === undefined) {
    const message = 'This service sends no mail. Ask an administrator for a link to set a new password.';
    throw new AppError('conflict', message);
  }
  const reason = `More than ${PER_NETWORK} requests for new passwords from your network in an hour`;
  await rateLimiter.requireToken(`forgotten-password:${network}`, PER_NETWORK, HOUR_SECONDS, reason);
  const key = `forgotten-password:${sha256Hex(address)}`;
  const { isAllowed } = await rateLimiter.consume(key, PER_ADDRESS, HOUR_SECONDS);
  // The id of the mail comes first, so that a job that runs twice sends one mail.
  if (isAllowed) await enqueue(db, 'forgotten_password', [`${newId('mail')}/${address}`]);
}

/** Performs the job: stores the mail with its link, if the address has an account. */
export async function mailNewPassword(
  deps: Pick<Deps, 'db' | 'now' | 'settings' | 'secretsKey'>,
  jobId: string,
): Promise<void> {
  const slash = jobId.indexOf('/');
  const [id, address] = [jobId.slice(0, slash), jobId.slice(slash + 1)];
  await deps.db.transaction(async tx => {
    const user = await findUserByEmail(tx, address);
    if (user === undefined || user.disabled || (await isMailStored(tx, id))) return;
    const hasPassword = (await findPasswordHash(tx, user.id)) !== undefined;
    // The first user sets up the account by the link that the service printed.
    if (!hasPassword && user.id === BOOTSTRAP_USER_ID) return;
    if (await signsInAtProvider(tx, deps, user.id, hasPassword)) await insertProviderMail(tx, user, id);
    else await insertLinkMail(tx, deps, user, { id, hasPassword });
  });
}

/**
 * Returns whether the identity provider decides who signs in to the account. A link would let in whoever receives its mails, without
 * what the provider requires, and SCIM can change the address.
 */
async function signsInAtProvider(
  tx: Tx,
  { settings }: Pick<Deps, 'settings'>,
  userId: number,
  hasPassword: boolean,
): Promise<boolean> {
  if (await isManagedAccount(tx, userId)) return true;
  const { OIDC_ISSUER: issuer } = settings;
  return !hasPassword && issuer !== undefined && hasIdentityAt(tx, userId, issuer);
}

const REASON = 'a new password was requested for this address';

const describeRequest = ({ email }: UserRow): string =>
  `Somebody, probably you, asked for a new password for the account ${email}.`;

const describeMail = ({ id: userId, email }: UserRow, id: string) => ({
  id,
  userId,
  address: email,
  account: getPersonalWorkspaceId(userId),
  kind: 'password_reset',
  cause: id,
});

function insertProviderMail(tx: Tx, user: UserRow, id: string): Promise<unknown> {
  return insertMail(tx, {
    ...describeMail(user, id),
    content: {
      subject: 'Sign in with your identity provider',
      paragraphs: [
        describeRequest(user),
        'The identity provider of your organization signs you in to this account. Choose it on the sign-in page. If that does not work, ask an administrator for a link to set a password.',
      ],
      buttons: [{ label: 'Open the sign-in page', path: '/sign-in' }],
      reason: REASON,
    },
  });
}

async function insertLinkMail(
  tx: Tx,
  deps: Pick<Deps, 'now' | 'settings' | 'secretsKey'>,
  user: UserRow,
  { id, hasPassword }: { readonly id: string; readonly hasPassword: boolean },
): Promise<void> {
  // Who has not set a password yet was invited. The link replaces the invitation, so it is valid as long.
  const { path, token, expiresAt } = await createLink(tx, deps, {
    userId: user.id,
    ...(hasPassword ? { kind: 'reset', lifetimeMs: HOUR_SECONDS * 1000 } : { kind: 'invite' }),
  });
  await insertMail(tx, {
    ...describeMail(user, id),
    isUrgent: true,
    secret: encrypt(deps.secretsKey, token),
    expiresAt,
    content: {
      subject: hasPassword ? 'Set a new password' : 'Set your password',
      paragraphs: [
        describeRequest(user),
        hasPassword
          ? 'The link is valid for an hour and works once. Only the newest link works.'
          : 'The link is valid for three days and works once. Only the newest link works.',
        'If it was not you, ignore this mail. Your password stays the same.',
      ],
      buttons: [{ label: hasPassword ? 'Set a new password' : 'Set your password', path }],
      reason: REASON,
    },
  });
}
