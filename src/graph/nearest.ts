// Finds the name that is most similar to a misspelled one, at a bounded cost.
import type { Catalog } from './catalog.ts';

const MAX_NAME_LENGTH = 80;
/** This many compared characters take about 20 ms and are enough for hundreds of suggestions. */
const MAX_COMPARISONS = 1_000_000;

/** Candidates by the length of their folded names. */
export type NameIndex = ReadonlyMap<number, readonly IndexedName[]>;

interface IndexedName {
  readonly name: string;
  readonly foldedName: string;
}

/** The number of characters that a series of lookups may still compare. At 0, lookups find nothing. */
export interface ComparisonBudget {
  remaining: number;
}

export const createComparisonBudget = (): ComparisonBudget => ({ remaining: MAX_COMPARISONS });

export function indexNames(names: Iterable<string>): NameIndex {
  const index = new Map<number, IndexedName[]>();
  for (const name of names) {
    if (name.length > MAX_NAME_LENGTH * 2) continue;
    const foldedName = fold(name);
    const sameLength = index.get(foldedName.length);
    if (sameLength === undefined) index.set(foldedName.length, [{ name, foldedName }]);
    else sameLength.push({ name, foldedName });
  }
  return index;
}

/** Returns the name with the fewest edits, ignoring case and separators. About a third of the name may differ, at most `maxEdits`. */
export function findNearestName(
  name: string,
  names: NameIndex | Iterable<string>,
  budget: ComparisonBudget = createComparisonBudget(),
  maxEdits = Number.POSITIVE_INFINITY,
): string | undefined {
  if (name.length > MAX_NAME_LENGTH || budget.remaining <= 0) return undefined;
  const index = names instanceof Map ? (names as NameIndex) : indexNames(names as Iterable<string>);
  const foldedName = fold(name);
  let nearestName: string | undefined;
  let limit = Math.min(maxEdits + 1, foldedName.length <= 3 ? 2 : Math.floor(foldedName.length / 3) + 2);
  // Similar lengths come first: they lower the limit, and lengths that differ by the limit or more are skipped.
  for (let difference = 0; difference < limit; difference++) {
    for (const length of difference === 0
      ? [foldedName.length]
      : [foldedName.length - difference, foldedName.length + difference]) {
      for (const candidate of index.get(length) ?? []) {
        if (budget.remaining <= 0) return nearestName;
        const distance = computeEditDistance(foldedName, candidate.foldedName, limit, budget);
        if (distance >= limit) continue;
        nearestName = candidate.name;
        limit = distance;
      }
    }
  }
  return nearestName;
}

/** The visible node types of a catalog, as candidates for misspelled ones. */
export interface NodeTypeIndex {
  readonly types: NameIndex;
  /** The types without their category prefix. */
  readonly shortNames: NameIndex;
  readonly byShortName: ReadonlyMap<string, string>;
}

export function indexNodeTypes({ entries }: Pick<Catalog, 'entries'>): NodeTypeIndex {
  const types = entries.flatMap(({ hidden, nodeType }) => (hidden ? [] : [nodeType]));
  const byShortName = new Map(types.map(nodeType => [removeCategory(nodeType), nodeType]));
  return { types: indexNames(types), shortNames: indexNames(byShortName.keys()), byShortName };
}

const removeCategory = (nodeType: string): string => nodeType.slice(nodeType.indexOf(':') + 1);

/** Returns the most similar visible node type. The category prefix may be missing, as in `text_template`. */
export function findNearestNodeType(
  name: string,
  { types, shortNames, byShortName }: NodeTypeIndex,
  budget?: ComparisonBudget,
): string | undefined {
  const match = findNearestName(name, types, budget);
  if (match !== undefined || name.includes(':')) return match;
  return byShortName.get(findNearestName(name, shortNames, budget) ?? '');
}

/** Returns an error sentence that suggests the most similar node type. */
export function describeUnknownType(name: string, catalog: Pick<Catalog, 'entries'>): string {
  const suggestion = findNearestNodeType(name, indexNodeTypes(catalog));
  const hint = suggestion === undefined ? '.' : `. Did you mean ${JSON.stringify(suggestion)}?`;
  return `Unknown node type ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}${hint}`;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/**
 * Returns the number of edits (insert, delete, replace) between two strings, or `limit` if the number is not smaller.
 */
function computeEditDistance(from: string, to: string, limit: number, budget: ComparisonBudget): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  budget.remaining--;
  for (let i = 1; i <= from.length; i++) {
    const nextRow = [i];
    let rowMinimum = i;
    budget.remaining -= to.length;
    for (let j = 1; j <= to.length; j++) {
      const replaceCost = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const cost = Math.min(replaceCost, (row[j] ?? 0) + 1, (nextRow[j - 1] ?? 0) + 1);
      nextRow.push(cost);
      rowMinimum = Math.min(rowMinimum, cost);
    }
    if (rowMinimum >= limit) return limit;
    row = nextRow;
  }
  return Math.min(limit, row[to.length] ?? limit);
}
