// Finds the account of a provider's identity: the linked account, the account with its email, or a new account.
import { cutText } from '../../lib/cut-text.ts';
import { AppError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import { recordAudit, SERVICE_CALLER, toUserTarget } from '../../store/audit/record-audit.ts';
import { grant } from '../../store/credits.ts';
import type { Transaction } from '../../store/db.ts';
import { findIdentity, insertIdentity, lockIdentity } from '../../store/people/identities.ts';
import { findUserByEmail, insertUser } from '../../store/users.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import { parseEmail, parseName } from '../accounts/names.ts';

/** The identity that a provider confirmed. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** An email that the provider has verified. */
  readonly email: string;
  readonly name: string | undefined;
  /** When the person entered their credentials at the provider; undefined if the provider does not report it. */
  readonly signedInAtMs?: number | undefined;
  /** Whether the provider reports that it has checked a second factor. */
  readonly hasSecondFactor: boolean;
  /** The groups of the person; undefined if the provider does not report them. */
  readonly groups?: readonly string[] | undefined;
}

/** The messages by reason. The response also contains the reason, because the sign-in page has its own messages. */
const REJECTION_TEXTS = {
  expired:
    'The sign-in was not started in this browser, or it was started more than ten minutes ago. Start again.',
  refused: 'The identity provider refused the sign-in, or its response is invalid. Try again.',
  unverified: 'The identity provider has not verified your email.',
  unknown: 'No account has your email address. Ask an administrator to invite you.',
  linked: 'The account with your email is linked to another identity of this provider.',
  disabled: 'The account is disabled.',
  factor: 'Your account has a second factor. Confirm your identity with it.',
  other: 'You signed in to a different account. Sign in to the account that you use here.',
} as const;

/** Creates the error of a rejected sign-in. */
export function createSignInError(reason: keyof typeof REJECTION_TEXTS, cause?: unknown): AppError {
  return new AppError('sign_in_refused', REJECTION_TEXTS[reason], { cause, details: { reason } });
}

type AccountSettings = Pick<Settings, 'OIDC_ALLOWED_DOMAINS' | 'DEFAULT_PLAN' | 'DEFAULT_CREDITS'>;

/**
 * Identifies the account by the provider's subject, even if its email changes. An account is linked to one subject per
 * provider: another subject with the same email is another person, who received the address later. Call it in a
 * transaction. Throws 403 `sign_in_refused`.
 */
export async function findOrCreateUser(
  tx: Transaction,
  settings: AccountSettings,
  claims: Claims,
): Promise<number> {
  await lockIdentity(tx, claims);
  const linked = await findIdentity(tx, claims);
  if (linked !== undefined) return linked;
  const email = requireVerifiedEmail(claims.email);
  const existing = await findUserByEmail(tx, email);
  if (existing === undefined && !isAllowedDomain(email, settings.OIDC_ALLOWED_DOMAINS))
    throw createSignInError('unknown');
  const userId =
    existing?.id ?? (await createAccount(tx, settings, { email, name: claims.name, method: 'openid' }));
  if (!(await insertIdentity(tx, { ...claims, userId }))) throw createSignInError('linked');
  return userId;
}

function requireVerifiedEmail(email: string): string {
  try {
    return parseEmail(email);
  } catch (err) {
    throw createSignInError('unverified', err);
  }
}

/** Returns whether the identity provider decides who has an email of this domain. */
export const isAllowedDomain = (email: string, domains: readonly string[]): boolean =>
  domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());

/** Creates an account without a password, with the plan and credits of new accounts. */
export async function createAccount(
  tx: Transaction,
  { DEFAULT_PLAN, DEFAULT_CREDITS }: AccountSettings,
  { email, name, method }: Pick<Claims, 'email' | 'name'> & { readonly method: 'openid' | 'scim' },
): Promise<number> {
  const user = { email, name: getDisplayName(name, email), plan: DEFAULT_PLAN, isAuthor: false };
  const userId = await insertUser(tx, user);
  if (DEFAULT_CREDITS > 0)
    await grant(tx, getPersonalWorkspaceId(userId), DEFAULT_CREDITS, 'opening balance');
  recordAudit(tx, SERVICE_CALLER, {
    action: 'user.created',
    target: toUserTarget(userId),
    after: { plan: DEFAULT_PLAN, credits: DEFAULT_CREDITS, method },
  });
  return userId;
}

/** Returns the provider's name if it can be displayed, else the part of the email before the @. */
function getDisplayName(name: string | undefined, email: string): string {
  try {
    return parseName(cutText(name ?? '', 200));
  } catch {
    return email.slice(0, email.lastIndexOf('@'));
  }
}
