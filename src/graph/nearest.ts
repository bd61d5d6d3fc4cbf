// Finds the known name nearest to a misspelled one, at a bounded cost.
import type { Catalog } from './catalog.ts';

const MAX_NAME = 80;
/** About 20 ms of comparisons: hundreds of suggestions in an ordinary graph. */
const MAX_WORK = 1_000_000;

/** Names to look up misspelled ones in: their folded forms, by length. */
export type NameIndex = ReadonlyMap<number, readonly FoldedName[]>;

interface FoldedName {
  readonly name: string;
  readonly folded: string;
}

/** What a series of look-ups may still cost, in compared characters. Without any left, nothing is found. */
export interface WorkBudget {
  left: number;
}

export const createWorkBudget = (): WorkBudget => ({ left: MAX_WORK });

export function indexNames(names: Iterable<string>): NameIndex {
  const index = new Map<number, FoldedName[]>();
  for (const name of names) {
    if (name.length > MAX_NAME * 2) continue;
    const folded = fold(name);
    const alike = index.get(folded.length);
    if (alike === undefined) index.set(folded.length, [{ name, folded }]);
    else alike.push({ name, folded });
  }
  return index;
}

/** The name fewest edits away, about a third of the name's length at most, case and separators aside. */
export function nearest(
  name: string,
  names: NameIndex | Iterable<string>,
  work: WorkBudget = createWorkBudget(),
): string | undefined {
  if (name.length > MAX_NAME || work.left <= 0) return undefined;
  const index = names instanceof Map ? (names as NameIndex) : indexNames(names as Iterable<string>);
  const wanted = fold(name);
  let best: string | undefined;
  let limit = wanted.length <= 3 ? 2 : Math.floor(wanted.length / 3) + 2;
  // Names of about the same length first: they lower the limit, and lengths that differ by the limit are not looked at.
  for (let difference = 0; difference < limit; difference++) {
    for (const length of difference === 0
      ? [wanted.length]
      : [wanted.length - difference, wanted.length + difference]) {
      for (const candidate of index.get(length) ?? []) {
        if (work.left <= 0) return best;
        const distance = editDistance(wanted, candidate.folded, limit, work);
        if (distance >= limit) continue;
        best = candidate.name;
        limit = distance;
      }
    }
  }
  return best;
}

/** The visible node types of a catalog, to look up misspelled ones in. */
export interface NodeTypeIndex {
  readonly types: NameIndex;
  /** Without their categories. */
  readonly tails: NameIndex;
  readonly byTail: ReadonlyMap<string, string>;
}

export function indexNodeTypes({ entries }: Pick<Catalog, 'entries'>): NodeTypeIndex {
  const types = entries.flatMap(({ hidden, nodeType }) => (hidden ? [] : [nodeType]));
  const byTail = new Map(types.map(nodeType => [tailOf(nodeType), nodeType]));
  return { types: indexNames(types), tails: indexNames(byTail.keys()), byTail };
}

const tailOf = (nodeType: string): string => nodeType.slice(nodeType.indexOf(':') + 1);

/** The visible node type nearest to the name; a name without its category finds the type, `text_template` as others. */
export function nearestNodeType(
  name: string,
  { types, tails, byTail }: NodeTypeIndex,
  work?: WorkBudget,
): string | undefined {
  const found = nearest(name, types, work);
  if (found !== undefined || name.includes(':')) return found;
  return byTail.get(nearest(name, tails, work) ?? '');
}

/** A sentence that names the nearest node type. */
export function unknownNodeType(name: string, catalog: Pick<Catalog, 'entries'>): string {
  const near = nearestNodeType(name, indexNodeTypes(catalog));
  const hint = near === undefined ? '.' : `. Did you mean ${JSON.stringify(near)}?`;
  return `Unknown node type ${JSON.stringify(name.slice(0, MAX_NAME))}${hint}`;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** Edits (insert, delete, replace) from one text to the other, or `limit` where there are as many or more. */
function editDistance(from: string, to: string, limit: number, work: WorkBudget): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  work.left--;
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    let least = i;
    work.left -= to.length;
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const cost = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= limit) return limit;
    row = next;
  }
  return Math.min(limit, row[to.length] ?? limit);
}
