// Notifies users of changes in who can use their account, in the transaction of the change.
import { getBrowserName } from '../../graph/browser-name.ts';
import { shortHash } from '../../lib/crypto.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import { insertMail, type MailContent } from '../../store/mails.ts';
import { insertNotice, type NoticeKind } from '../../store/notices.ts';
import { findUser } from '../../store/users.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';

type SecurityKind = Extract<
  NoticeKind,
  'new_browser' | 'second_factor_changed' | 'password_changed' | 'email_changed'
>;

interface SecurityNotice {
  readonly kind: SecurityKind;
  readonly cause: string;
  readonly title: string;
  readonly text: string;
  readonly link: string;
  readonly button: string;
  readonly details?: MailContent['details'];
}

function insertSecurityNotice(tx: Tx, userId: number, notice: SecurityNotice): Promise<void> {
  const { button, details, ...rest } = notice;
  return insertNotice(tx, {
    ...rest,
    workspace: getPersonalWorkspaceId(userId),
    userId,
    mail: { buttons: [{ label: button, path: notice.link }], ...(details && { details }) },
  });
}

interface BrowserVisit {
  readonly ipAddress: string;
  readonly network: string;
  readonly userAgent: string | undefined;
}

/** Browsers that delete their cookies are announced once until the notice is read, by what they call themselves. */
export function notifyOfBrowser(
  tx: Tx,
  userId: number,
  { ipAddress, network, userAgent }: BrowserVisit,
  nowMs: number,
): Promise<void> {
  const browser = getBrowserName(userAgent).slice(0, MAX_BROWSER_CHARS);
  const time = formatTime(nowMs);
  return insertSecurityNotice(tx, userId, {
    kind: 'new_browser',
    cause: shortHash(`${network} ${browser}`),
    title: 'Sign-in from a new browser',
    text: `Somebody signed in to your account with ${browser} at ${ipAddress}, ${time}. If it was not you, sign out this session and change your password.`,
    link: '/settings/sessions',
    button: 'Check your sessions',
    details: [
      ['Time', time],
      ['Browser', browser],
      ['IP address', ipAddress],
    ],
  });
}

const MAX_BROWSER_CHARS = 80;

const FACTOR_TEXTS = {
  totp_added: ['An authenticator app was added', 'An authenticator app was set up for your account.'],
  totp_removed: ['The authenticator app was removed', 'The authenticator app of your account was removed.'],
  passkey_added: ['A passkey was added', 'A passkey was added to your account.'],
  passkey_removed: ['A passkey was removed', 'A passkey of your account was removed.'],
  reset: [
    'Your second factors were removed',
    'An administrator removed all second factors of your account. Sign in and set up new ones.',
  ],
  recovery_code_used: [
    'A recovery code was used',
    'Somebody confirmed a sign-in or an action of your account with a recovery code, which is now used up.',
  ],
  recovery_codes_created: [
    'New recovery codes were created',
    'New recovery codes were created for your account. The earlier ones no longer work.',
  ],
} as const satisfies Readonly<Record<string, readonly [title: string, text: string]>>;
type FactorChange = keyof typeof FACTOR_TEXTS;

export function notifyOfFactor(tx: Tx, userId: number, change: FactorChange): Promise<void> {
  const [title, text] = FACTOR_TEXTS[change];
  return insertSecurityNotice(tx, userId, {
    kind: 'second_factor_changed',
    // Each change is announced.
    cause: newId('notice'),
    title,
    text: `${text} If it was not you, change your password and check your second factors.`,
    link: '/settings/security',
    button: 'Check your second factors',
  });
}

export function notifyOfPassword(tx: Tx, userId: number): Promise<void> {
  return insertSecurityNotice(tx, userId, {
    kind: 'password_changed',
    cause: newId('notice'),
    title: 'Your password was changed',
    text: 'The password of your account was changed, and all other sessions have ended. If it was not you, ask an administrator for help.',
    link: '/settings/sessions',
    button: 'Check your sessions',
  });
}

const EMAIL_CHANGERS = {
  administrator: 'An administrator',
  provider: 'The identity provider of your organization',
} as const;

/** Notifies the user, with another mail to the earlier address, whose owner may be the only one who does not expect it. */
export async function notifyOfEmail(
  tx: Tx,
  userId: number,
  oldEmail: string,
  changedBy: keyof typeof EMAIL_CHANGERS,
): Promise<void> {
  const user = await findUser(tx, userId);
  if (user === undefined || user.email.toLowerCase() === oldEmail.toLowerCase()) return;
  const cause = newId('notice');
  const title = 'The email address of your account was changed';
  const text = `${EMAIL_CHANGERS[changedBy]} changed the email address of your account from ${oldEmail} to ${user.email}. Sign in with the new address. If you did not expect it, ask an administrator.`;
  await insertSecurityNotice(tx, userId, {
    kind: 'email_changed',
    cause,
    title,
    text,
    link: '/settings/profile',
    button: 'Open your profile',
  });
  await insertMail(tx, {
    userId,
    address: oldEmail,
    account: getPersonalWorkspaceId(userId),
    kind: 'email_changed',
    cause,
    isUrgent: true,
    content: { subject: title, paragraphs: [text], reason: 'an account used this address' },
  });
}

const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
