// Lets an identity provider create, change, deactivate and delete accounts by SCIM.
import { cutText } from '../../lib/cut-text.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import type { AuditFields } from '../../store/audit/audit-json.ts';
import { recordAudit, SERVICE_CALLER, toUserTarget } from '../../store/audit/record-audit.ts';
import { isUniqueViolation, type Transaction, type Tx } from '../../store/db.ts';
import { lockUser } from '../../store/people/delete-user.ts';
import { findUserByEmail, updateEmail, updateUser } from '../../store/users.ts';
import { forgetUser } from '../accounts/end-access.ts';
import { parseEmail, parseName } from '../accounts/names.ts';
import type { Deps } from '../deps.ts';
import { applyGroups, lockGroups } from '../groups/apply-groups.ts';
import { createAccount, isAllowedDomain } from '../sessions/identities.ts';
import { notifyOfEmail } from '../sessions/security-notices.ts';
import { activate, deactivate } from './deactivate.ts';
import { readOperations } from './patch.ts';
import { createSelection, presentList, readMatching, type ScimQuery, select } from './query.ts';
import { createScimError } from './scim-error.ts';
import {
  belongsToProvider,
  deleteScimUser,
  findScimUser,
  hasScimUserName,
  insertScimUser,
  type ScimUserRow,
  USER_RESOURCES,
  updateScimUser,
} from './store/users.ts';
import { readUserAttributes, setAttribute, type UserAttributes } from './user-attributes.ts';

export type ScimDeps = Pick<Deps, 'db' | 'now' | 'log' | 'settings' | 'keys' | 'sessions' | 'accessTokens'>;

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
const NOT_FOUND = 'User not found.';

export async function listUsers({ db, settings }: ScimDeps, query: ScimQuery) {
  const { page, total, rows } = await readMatching<ScimUserRow>(db, USER_RESOURCES, query);
  const isWanted = createSelection(query);
  return presentList(
    rows.map(row => select(presentUser(settings, row), isWanted)),
    total,
    page,
  );
}

/** Throws 404. */
export async function readUser({ db, settings }: ScimDeps, id: string, query: ScimQuery) {
  return select(presentUser(settings, await getUser(db, id)), createSelection(query));
}

/**
 * Creates an account without a password, or takes over the management of the account with this email, if the provider already decides
 * who signs in to it. Throws 409 `uniqueness`.
 */
export async function createUser(deps: ScimDeps, body: Readonly<Record<string, unknown>>) {
  const attributes = readUserAttributes(body);
  const { userName, externalId = null, givenName = null, familyName = null } = attributes;
  if (userName === undefined) throw createScimError('invalidValue', 'userName is required.');
  const email = readEmail(attributes.email ?? userName);
  const row = await changeUsers(deps, async tx => {
    if (await hasScimUserName(tx, userName)) throw createTakenError('userName');
    const existing = await findUserByEmail(tx, email);
    if (existing !== undefined) await requireLinkable(tx, deps, existing.id, email);
    const name = readDisplayName(attributes, email);
    const userId = existing?.id ?? (await createAccount(tx, deps.settings, { email, name, method: 'scim' }));
    if (existing !== undefined) await updateUser(tx, userId, { name, ...UNCHANGED });
    const user = { user_id: userId, user_name: userName, external_id: externalId };
    await insertScimUser(
      tx,
      { ...user, given_name: givenName, family_name: familyName },
      new Date(deps.now()),
    );
    await setActive(tx, await getUser(tx, String(userId)), attributes.active ?? true);
    if (existing !== undefined) recordChange(tx, userId, { managedBy: null }, { managedBy: 'scim' });
    return getUser(tx, String(userId));
  });
  return presentUser(deps.settings, row);
}

const UNCHANGED = { plan: null, isAuthor: null, disabled: null } as const;

/** Changes the attributes that the body has. Others stay, also with PUT. Throws 404, 409 `uniqueness`. */
export async function replaceUser(deps: ScimDeps, id: string, body: Readonly<Record<string, unknown>>) {
  return changeUser(deps, id, readUserAttributes(body));
}

/** Performs the operations of a PATCH request. Throws 404, 409 `uniqueness`. */
export async function patchUser(deps: ScimDeps, id: string, body: unknown) {
  const attributes: UserAttributes = {};
  for (const { op, path, value } of readOperations(body))
    setAttribute(attributes, path, op === 'remove' ? null : value);
  return changeUser(deps, id, attributes);
}

async function changeUser(deps: ScimDeps, id: string, attributes: UserAttributes) {
  const row = await changeUsers(deps, async tx => {
    const user = await lockAndGetUser(tx, id);
    const changed = {
      user_id: user.user_id,
      user_name: attributes.userName ?? user.user_name,
      external_id: attributes.externalId === undefined ? user.external_id : attributes.externalId,
      given_name: attributes.givenName === undefined ? user.given_name : attributes.givenName,
      family_name: attributes.familyName === undefined ? user.family_name : attributes.familyName,
    };
    await updateScimUser(tx, changed, new Date(deps.now()));
    await changeEmail(tx, deps, user, attributes);
    await changeName(tx, user, attributes);
    if (attributes.active !== undefined) await setActive(tx, user, attributes.active);
    const after = await getUser(tx, id);
    const fields = { disabled: after.disabled, attributes: Object.keys(attributes) };
    recordChange(tx, user.user_id, { disabled: user.disabled }, fields);
    return after;
  });
  return presentUser(deps.settings, row);
}

/**
 * Changes the email with an explicit one, or with the user name if the email was the old user name. A password stays with the email that it
 * was set for, unless the provider decides who has the new one: otherwise a link to reset it would go to somebody else.
 */
async function changeEmail(
  tx: Tx,
  { settings }: ScimDeps,
  user: ScimUserRow,
  { email: sentEmail, userName }: UserAttributes,
): Promise<void> {
  const followsUserName = user.email.toLowerCase() === user.user_name.toLowerCase();
  const newEmail = sentEmail ?? (followsUserName ? userName : undefined);
  if (newEmail === undefined || newEmail.toLowerCase() === user.email.toLowerCase()) return;
  const email = readEmail(newEmail);
  if (user.has_password && !isAllowedDomain(email, settings.OIDC_ALLOWED_DOMAINS))
    throw createScimError(
      'mutability',
      'The account has a password, and OIDC_ALLOWED_DOMAINS does not include the domain of the new email. An administrator can change the email at Settings → Users.',
    );
  await updateEmail(tx, user.user_id, email);
  await notifyOfEmail(tx, user.user_id, user.email, 'provider');
}

async function changeName(tx: Tx, user: ScimUserRow, attributes: UserAttributes): Promise<void> {
  const { displayName, formatted, givenName, familyName } = attributes;
  if ([displayName, formatted, givenName, familyName].every(part => part === undefined)) return;
  const name = readDisplayName(
    {
      displayName: displayName ?? null,
      formatted: formatted ?? null,
      givenName: givenName === undefined ? user.given_name : givenName,
      familyName: familyName === undefined ? user.family_name : familyName,
    },
    user.email,
  );
  await updateUser(tx, user.user_id, { name, ...UNCHANGED });
}

/** Deactivates the account and ends its management. Its work stays. Throws 404. */
export async function deleteUser(deps: ScimDeps, id: string): Promise<void> {
  await changeUsers(deps, async tx => {
    await lockGroups(tx);
    const user = await lockAndGetUser(tx, id);
    await setActive(tx, user, false);
    await deleteScimUser(tx, user.user_id, new Date(deps.now()));
    await applyGroups(tx, SERVICE_CALLER, [user.user_id]);
    const before = { disabled: user.disabled, managedBy: 'scim' };
    recordChange(tx, user.user_id, before, { disabled: true, managedBy: null });
    return user;
  });
}

/** Runs the change in a transaction, and forgets the credentials of its account in this process. */
async function changeUsers(
  deps: ScimDeps,
  change: (tx: Transaction) => Promise<ScimUserRow>,
): Promise<ScimUserRow> {
  try {
    const row = await deps.db.transaction(change);
    forgetUser(deps, row.user_id);
    return row;
  } catch (err) {
    if (isUniqueViolation(err, 'scim_users_name')) throw createTakenError('userName', err);
    if (isUniqueViolation(err, 'users_email_key')) throw createTakenError('email', err);
    throw err;
  }
}

/** Records a change, without names and emails, which may have to be forgotten. */
const recordChange = (tx: Transaction, userId: number, before: AuditFields, after: AuditFields): void =>
  recordAudit(tx, SERVICE_CALLER, { action: 'user.changed', target: toUserTarget(userId), before, after });

const createTakenError = (attribute: string, cause?: unknown): AppError =>
  createScimError('uniqueness', `Another account has this ${attribute}.`, cause);

/**
 * Throws 409 unless the provider may manage an account that exists: it must already decide who signs in to the account. Otherwise whoever has
 * the token could take over any account.
 */
async function requireLinkable(tx: Tx, { settings }: ScimDeps, userId: number, email: string): Promise<void> {
  await lockUser(tx, userId);
  if ((await findScimUser(tx, userId)) !== undefined) throw createTakenError('email');
  if (isAllowedDomain(email, settings.OIDC_ALLOWED_DOMAINS)) return;
  if (await belongsToProvider(tx, userId, settings.OIDC_ISSUER)) return;
  throw createScimError(
    'uniqueness',
    'An account with this email exists, and the identity provider does not decide who signs in to it. Add the domain to OIDC_ALLOWED_DOMAINS, or let the person sign in with the identity provider once.',
  );
}

/** Activates or deactivates the account. Throws 409 if an administrator has disabled it, and 400 for the last administrator. */
async function setActive(tx: Tx, user: ScimUserRow, isActive: boolean): Promise<void> {
  if (isActive !== user.disabled) return;
  if (isActive) await activate(tx, user);
  else await deactivate(tx, user);
}

async function lockAndGetUser(tx: Tx, id: string): Promise<ScimUserRow> {
  const user = await getUser(tx, id);
  await lockUser(tx, user.user_id);
  return getUser(tx, id);
}

async function getUser(tx: Tx, id: string): Promise<ScimUserRow> {
  const row = /^[1-9]\d{0,8}$/.test(id) ? await findScimUser(tx, Number(id)) : undefined;
  return requireFound(row, NOT_FOUND);
}

function readEmail(text: string): string {
  try {
    return parseEmail(text);
  } catch (err) {
    throw createScimError('invalidValue', 'Send the email of the account in emails, or as userName.', err);
  }
}

/** Returns the name to display; the part of the email before the @ if there is none that can be displayed. */
function readDisplayName(
  { displayName, formatted, givenName, familyName }: UserAttributes,
  email: string,
): string {
  const fullName = [givenName, familyName].filter(Boolean).join(' ');
  const name = displayName ?? formatted ?? fullName;
  try {
    return parseName(cutText(name, 200));
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    return cutText(email.slice(0, email.lastIndexOf('@')), 200);
  }
}

function presentUser({ BASE_URL }: ScimDeps['settings'], user: ScimUserRow) {
  const id = String(user.user_id);
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(user.external_id === null ? {} : { externalId: user.external_id }),
    userName: user.user_name,
    displayName: user.name,
    name: {
      formatted: user.name,
      ...(user.given_name === null ? {} : { givenName: user.given_name }),
      ...(user.family_name === null ? {} : { familyName: user.family_name }),
    },
    emails: [{ value: user.email, type: 'work', primary: true }],
    active: !user.disabled,
    meta: {
      resourceType: 'User',
      created: user.created_at.toISOString(),
      lastModified: user.updated_at.toISOString(),
      location: `${BASE_URL}/scim/v2/Users/${id}`,
    },
  };
}
