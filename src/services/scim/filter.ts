// Reads filters of lists: comparisons with `eq` that are joined with `and`. Identity providers look accounts and groups up with them.
import { readComparison } from './path.ts';
import { createScimError } from './scim-error.ts';
import type { Condition } from './store/conditions.ts';

const MAX_FILTER_CHARS = 1_000;
const MAX_CONDITIONS = 5;

/** Parses a filter. Each of `attributes` may be compared. Throws 400 `invalidFilter`. */
export function parseFilter(text: string | undefined, attributes: readonly string[]): readonly Condition[] {
  const conditions: Condition[] = [];
  let rest = (text ?? '').slice(0, MAX_FILTER_CHARS + 1).trim();
  if (rest.length > MAX_FILTER_CHARS) throw createFilterError(attributes);
  while (rest !== '') {
    const comparison = readComparison(rest);
    if (comparison === undefined || !attributes.includes(comparison.name))
      throw createFilterError(attributes);
    conditions.push({ name: comparison.name, value: comparison.value });
    rest = comparison.rest;
    if (rest === '') break;
    if (!/^and\s/i.test(rest) || conditions.length === MAX_CONDITIONS) throw createFilterError(attributes);
    rest = rest.slice(4).trim();
  }
  return conditions;
}

const createFilterError = (attributes: readonly string[]) =>
  createScimError(
    'invalidFilter',
    `The filter is not supported. Compare ${attributes.join(', ')} with eq, and join up to ${MAX_CONDITIONS} comparisons with and.`,
  );
