// Reads the parameters of SCIM requests: the page of a list, and which attributes a response has.
import type { Tx } from '../../store/db.ts';
import { parseFilter } from './filter.ts';
import { createScimError } from './scim-error.ts';
import { type Condition, countResources, listResources, type ResourceSql } from './store/conditions.ts';

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type ScimQuery = Readonly<Record<string, unknown>>;

/** A page of a list, counted from 1. */
export interface ScimPage {
  readonly startIndex: number;
  readonly count: number;
  readonly conditions: readonly Condition[];
}

const DEFAULT_COUNT = 100;
export const MAX_COUNT = 200;
const MAX_START_INDEX = 1_000_000;

/** Returns the resources of the page that the query asks for, and how many match in all. Throws 400. */
export async function readMatching<Row>(tx: Tx, resources: ResourceSql, query: ScimQuery) {
  const page = readPage(query, Object.keys(resources.filters));
  const [total, rows] = await Promise.all([
    countResources(tx, resources, page.conditions),
    listResources<Row>(tx, resources, page.conditions, { offset: page.startIndex - 1, limit: page.count }),
  ]);
  return { page, total, rows };
}

/** Reads `startIndex`, `count` and `filter`. Values beyond the limits are lowered, as RFC 7644 allows. Throws 400. */
function readPage(query: ScimQuery, attributes: readonly string[]): ScimPage {
  const { filter } = query;
  if (filter !== undefined && typeof filter !== 'string')
    throw createScimError('invalidFilter', 'Send one filter.');
  return {
    startIndex: Math.max(1, readInteger(query, 'startIndex', 1, MAX_START_INDEX)),
    count: Math.max(0, readInteger(query, 'count', DEFAULT_COUNT, MAX_COUNT)),
    conditions: parseFilter(filter, attributes),
  };
}

function readInteger(query: ScimQuery, name: string, defaultValue: number, max: number): number {
  const text = query[name];
  if (text === undefined || text === '') return defaultValue;
  if (typeof text !== 'string' || !/^-?\d{1,12}$/.test(text))
    throw createScimError('invalidValue', `${name} must be an integer.`);
  return Math.min(Number(text), max);
}

export const presentList = (
  resources: readonly object[],
  totalResults: number,
  { startIndex }: Pick<ScimPage, 'startIndex'>,
) => ({
  schemas: [LIST_SCHEMA],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

const MAX_ATTRIBUTES = 50;

/** Returns whether the response has the attribute, by `attributes` and `excludedAttributes`. Throws 400. */
export function createSelection(query: ScimQuery): (attribute: string) => boolean {
  const included = readNames(query, 'attributes');
  const excluded = readNames(query, 'excludedAttributes');
  return attribute => {
    if (attribute === 'id' || attribute === 'schemas') return true;
    const name = attribute.toLowerCase();
    return included === undefined ? excluded?.has(name) !== true : included.has(name);
  };
}

/** Returns the attributes without their schemas and sub-attributes. */
function readNames(query: ScimQuery, parameter: string): ReadonlySet<string> | undefined {
  const text = query[parameter];
  if (text === undefined || text === '') return undefined;
  const names = typeof text === 'string' ? text.split(',', MAX_ATTRIBUTES + 1) : [];
  if (names.length === 0 || names.length > MAX_ATTRIBUTES)
    throw createScimError(
      'invalidValue',
      `${parameter} must be a list of up to ${MAX_ATTRIBUTES} attributes.`,
    );
  return new Set(names.map(name => /([^:.]*)(?:\.[^:.]*)?$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''));
}

/** Removes the attributes that the request does not want. */
export const select = (resource: object, isWanted: (attribute: string) => boolean): object =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => isWanted(name)));
