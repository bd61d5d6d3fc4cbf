// Reads the attributes of accounts from SCIM requests. Attributes that accounts do not have are ignored, because identity
// providers send many by default; passwords too.
import { isRecord } from '../../lib/record.ts';
import { type AttributePath, parsePath } from './path.ts';
import { createScimError } from './scim-error.ts';

/** The attributes that a request changes. null removes one. */
export interface UserAttributes {
  userName?: string;
  externalId?: string | null;
  displayName?: string | null;
  formatted?: string | null;
  givenName?: string | null;
  familyName?: string | null;
  email?: string;
  active?: boolean;
}

/** The longest texts, by attribute. */
const MAX_CHARS = { userName: 254, email: 254, externalId: 256, names: 200 };
/** An account has one email; of a longer list, the rest is not read. */
const MAX_EMAILS = 20;

/** Reads the attributes of a body. Its members are attributes or paths. Throws 400. */
export function readUserAttributes(body: Readonly<Record<string, unknown>>): UserAttributes {
  const attributes: UserAttributes = {};
  for (const [path, value] of Object.entries(body)) setAttribute(attributes, path, value);
  return attributes;
}

/** Sets the attribute that the path names; null and undefined remove it. Throws 400. */
export function setAttribute(attributes: UserAttributes, pathText: string, sent: unknown): void {
  const path = parsePath(pathText);
  const value = path.name === 'emails' ? sent : unwrap(sent);
  SETTERS.get(path.name)?.(attributes, value, path);
}

type Setter = (attributes: UserAttributes, value: unknown, path: AttributePath) => void;

const SETTERS: ReadonlyMap<string, Setter> = new Map<string, Setter>([
  [
    'username',
    (attributes, value) => {
      attributes.userName = readRequiredText('userName', value, MAX_CHARS.userName);
    },
  ],
  [
    'externalid',
    (attributes, value) => {
      attributes.externalId = readText('externalId', value, MAX_CHARS.externalId);
    },
  ],
  [
    'displayname',
    (attributes, value) => {
      attributes.displayName = readText('displayName', value, MAX_CHARS.names);
    },
  ],
  ['name', setName],
  ['emails', setEmail],
  [
    'active',
    (attributes, value) => {
      attributes.active = readBoolean(value);
    },
  ],
]);

const NAME_PARTS = ['formatted', 'givenName', 'familyName'] as const;

function setName(attributes: UserAttributes, value: unknown, { subName }: AttributePath): void {
  const parts = subName === undefined ? toLowerCaseKeys(value) : new Map([[subName, value]]);
  for (const part of NAME_PARTS) {
    const text = parts.get(part.toLowerCase());
    if (text !== undefined || (subName !== undefined && parts.has(part.toLowerCase())))
      attributes[part] = readText(`name.${part}`, text, MAX_CHARS.names);
  }
}

/** Sets the email from a list of emails, from one of them, or from the value of one. Only the work or primary email counts. */
function setEmail(attributes: UserAttributes, value: unknown, { condition, subName }: AttributePath): void {
  if (value === undefined || value === null) return;
  if (condition !== undefined && !isMainEmail(condition.name, condition.value)) return;
  if (subName !== undefined && subName !== 'value') return;
  const items = Array.isArray(value) ? value.slice(0, MAX_EMAILS) : [value];
  const emails = items.map(item =>
    typeof item === 'string' ? new Map([['value', item]]) : toLowerCaseKeys(item),
  );
  const main =
    emails.find(email => isTrue(email.get('primary'))) ??
    emails.find(email => isMainEmail('type', email.get('type'))) ??
    emails[0];
  if (main === undefined) return;
  attributes.email = readRequiredText('emails.value', main.get('value'), MAX_CHARS.email);
}

const isMainEmail = (name: string, value: unknown): boolean =>
  name === 'primary'
    ? isTrue(value)
    : name === 'type' && typeof value === 'string' && value.toLowerCase() === 'work';

/** Entra ID sends some booleans as texts. */
const isTrue = (value: unknown): boolean => String(value).toLowerCase() === 'true';

/** Throws 400 for anything but a boolean and the texts that Entra ID sends. */
function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return isTrue(value);
  throw createScimError('invalidValue', 'active must be true or false.');
}

/** Returns the value of `[{ "value": … }]` and `{ "value": … }`, as Entra ID sends single values in some versions. */
function unwrap(value: unknown): unknown {
  const item = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isRecord(item) && 'value' in item ? item.value : item;
}

/** Names of attributes are not case-sensitive. */
const toLowerCaseKeys = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(isRecord(value) ? Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]) : []);

function readRequiredText(name: string, value: unknown, maxChars: number): string {
  const text = readText(name, value, maxChars);
  if (text === null) throw createScimError('invalidValue', `${name} is required.`);
  return text;
}

/** Returns the trimmed text; null if it is absent or empty. Throws 400. */
export function readText(name: string, value: unknown, maxChars: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw createScimError('invalidValue', `${name} must be a string.`);
  const text = value.trim();
  if (text.length > maxChars)
    throw createScimError('invalidValue', `${name} has more than ${maxChars} characters.`);
  if (/\p{Cc}/u.test(text) || !text.isWellFormed())
    throw createScimError('invalidValue', `${name} must not contain control characters.`);
  return text === '' ? null : text;
}
