// Reads and checks the templates in a folder of JSON files. template.ts describes their form.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { SettingsError } from '../../lib/settings.ts';
import { PORT_TYPES, type Template } from './template.ts';

const MAX_FILES = 500;
const MAX_TEMPLATE_BYTES = 4_194_304;
const MAX_SIDE = 4096;
const MAX_FPS = 120;

/** Reads all templates of the folder, ordered by file name. Throws a SettingsError that names the file and the problem. */
export function readTemplates(folder: string): readonly Template[] {
  const names = listFiles(folder);
  if (names.length > MAX_FILES)
    throw new SettingsError(`The folder ${folder} has more than ${MAX_FILES} templates. Remove some.`);
  return names.map(name => readTemplate(join(folder, name)));
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .sort();
  } catch (err) {
    throw new SettingsError(`Can't read the templates in ${folder}: ${toError(err).message}.`);
  }
}

function readTemplate(path: string): Template {
  let value: unknown;
  try {
    if (statSync(path).size > MAX_TEMPLATE_BYTES) throw new Error(`it has over ${MAX_TEMPLATE_BYTES} bytes`);
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (err) {
    throw new SettingsError(`Can't read the template ${path}: ${toError(err).message}.`);
  }
  const problem = isRecord(value) ? findProblem(value) : 'it must be an object';
  if (problem !== undefined) throw new SettingsError(`The template ${path} is invalid: ${problem}.`);
  return value as Template;
}

type FieldCheck = readonly [form: string, fits: (value: unknown) => boolean];

const isArrayOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const createIntegerCheck = (max: number): FieldCheck => [
  `a whole number from 1 to ${max}`,
  value => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max,
];

// The scene graph itself is validated when it is rendered.
const FIELDS: Readonly<Record<string, FieldCheck>> = {
  id: [
    'lower-case letters, digits and hyphens',
    value => typeof value === 'string' && /^[a-z0-9-]{1,80}$/.test(value),
  ],
  label: ['a text', isText],
  category: ['a text', isText],
  description: ['a text', value => typeof value === 'string'],
  fps: createIntegerCheck(MAX_FPS),
  width: createIntegerCheck(MAX_SIDE),
  height: createIntegerCheck(MAX_SIDE),
  thumbnailFrame: ['a whole number', value => Number.isInteger(value) && (value as number) >= 0],
  defaultProps: ['an object', isRecord],
  exampleProps: ['an object', value => value === undefined || isRecord(value)],
  graph: ['an object', isRecord],
  inputs: [
    'a list of mappings { propPath, portId, portLabel, portType, required, description? }',
    value => isArrayOf(value, isInput),
  ],
  props: [
    'an object of { label, description } by prop',
    value => value === undefined || (isRecord(value) && isArrayOf(Object.values(value), isPropText)),
  ],
  allow: [
    '{ users: [id], teams: [id] }',
    value => value === undefined || (isRecord(value) && isAllowList(value)),
  ],
};

function findProblem(value: Readonly<Record<string, unknown>>): string | undefined {
  const invalidField = Object.entries(FIELDS).find(([key, [, fits]]) => !fits(value[key]));
  if (invalidField !== undefined) return `${invalidField[0]} must be ${invalidField[1][0]}`;
  const unknown = Object.keys(value).find(key => !Object.hasOwn(FIELDS, key));
  return unknown === undefined ? undefined : `${unknown} is not a known property`;
}

/** Checks an input mapping. Port names may contain a counter: `{n}` stands for a number. */
function isInput(input: unknown): boolean {
  if (!isRecord(input)) return false;
  const { propPath, portId, portLabel, portType, required, each, description } = input;
  return (
    typeof propPath === 'string' &&
    /^[\w-]+(\.([\w-]+|\{i\}))*$/.test(propPath) &&
    typeof portId === 'string' &&
    /^(?!(templateId|props|fanOut|maxCredits|constructor)$)[A-Za-z][\w-]{0,59}(\{[in]\})?$/.test(portId) &&
    isText(portLabel) &&
    PORT_TYPES.some(type => type === portType) &&
    typeof required === 'boolean' &&
    (each === undefined || isText(each)) &&
    (description === undefined || isText(description))
  );
}

const isPropText = (text: unknown): boolean =>
  isRecord(text) && isText(text.label) && isText(text.description);

function isAllowList({ users = [], teams = [] }: Readonly<Record<string, unknown>>): boolean {
  return isArrayOf(users, Number.isInteger) && isArrayOf(teams, isText);
}
