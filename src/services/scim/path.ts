// Reads paths of attributes, such as `name.givenName`, `emails[type eq "work"].value` and `members[value eq "2"]`.
import { createScimError } from './scim-error.ts';
import type { Condition } from './store/conditions.ts';

/** The attribute that a path or filter names, without the schema. Names are in lower case, because case does not matter. */
export interface AttributePath {
  readonly name: string;
  /** The condition in brackets; undefined if there is none. */
  readonly condition: Condition | undefined;
  readonly subName: string | undefined;
}

const MAX_PATH_CHARS = 500;
/** The schemas of accounts and groups. Attributes of other schemas are not stored. */
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const NAME = /^[a-z$][\w$-]*$/i;
const OF_OTHER_SCHEMA: AttributePath = { name: 'urn', condition: undefined, subName: undefined };

/** Parses a path. Throws 400 `invalidPath`. */
export function parsePath(path: string): AttributePath {
  if (path.length > MAX_PATH_CHARS) throw createPathError(path);
  const text = path.replace(CORE, '');
  if (/^urn:[\w:.-]+$/i.test(text)) return OF_OTHER_SCHEMA;
  const open = text.indexOf('[');
  if (open === -1) return { ...parseName(text), condition: undefined };
  const close = text.lastIndexOf(']');
  const rest = text.slice(close + 1);
  if (close < open || (rest !== '' && !rest.startsWith('.'))) throw createPathError(text);
  const { name, subName } = parseName(text.slice(0, open));
  const ownSubName = rest === '' ? undefined : rest.slice(1);
  if (subName !== undefined || (ownSubName !== undefined && !NAME.test(ownSubName)))
    throw createPathError(text);
  const condition = readComparison(text.slice(open + 1, close).trim());
  if (condition === undefined || condition.rest !== '') throw createPathError(text);
  return { name, condition, subName: ownSubName?.toLowerCase() };
}

function parseName(text: string): Pick<AttributePath, 'name' | 'subName'> {
  const [name = '', subName, ...others] = text.split('.');
  if (!NAME.test(name) || (subName !== undefined && !NAME.test(subName)) || others.length > 0)
    throw createPathError(text);
  return { name: name.toLowerCase(), subName: subName?.toLowerCase() };
}

const createPathError = (path: string) =>
  createScimError('invalidPath', `The path ${JSON.stringify(path.slice(0, 100))} is not valid.`);

/** An attribute, `eq`, and a JSON string or boolean. No text can match in two ways, so that it takes linear time. */
const COMPARISON = /^([a-z$][\w$.:-]*(?:\[[^\]"]*"[^\]"]*"\][\w$.]*)?) +eq +("(?:[^"\\]|\\.)*"|true|false)/i;

/** Reads the comparison at the start of the text; undefined if there is none. */
export function readComparison(text: string): (Condition & { readonly rest: string }) | undefined {
  const [all, path = '', value = ''] = COMPARISON.exec(text) ?? [];
  const parsed = all === undefined ? undefined : parseValue(value);
  if (all === undefined || parsed === undefined) return undefined;
  return {
    name: path.replace(CORE, '').toLowerCase(),
    value: parsed,
    rest: text.slice(all.length).trim(),
  };
}

function parseValue(text: string): string | boolean | undefined {
  if (!text.startsWith('"')) return text.toLowerCase() === 'true';
  try {
    const value = JSON.parse(text) as string;
    return value.isWellFormed() && !value.includes('\0') ? value : undefined;
  } catch {
    return undefined;
  }
}
