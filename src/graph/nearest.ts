// The known name nearest to a misspelt one.
import type { Catalog } from './catalog.ts';

const MAX_NAME = 80;

/** The candidate fewest edits away, about a third of the name's length at most, case and separators aside. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const wanted = fold(name);
  let best: string | undefined;
  let limit = wanted.length <= 3 ? 2 : Math.floor(wanted.length / 3) + 2;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate), limit);
    if (distance < limit) {
      best = candidate;
      limit = distance;
    }
  }
  return best;
}

/** The visible node type nearest to the name; a name without its category finds the type, `text_template` as others. */
export function nearestNodeType(name: string, { entries }: Pick<Catalog, 'entries'>): string | undefined {
  const shown = entries.filter(({ hidden }) => !hidden).map(({ nodeType }) => nodeType);
  const whole = nearest(name, shown);
  if (whole !== undefined) return whole;
  const byTail = new Map(shown.map(nodeType => [nodeType.slice(nodeType.indexOf(':') + 1), nodeType]));
  return byTail.get(nearest(name.slice(name.indexOf(':') + 1), byTail.keys()) ?? '');
}

/** A sentence that names the nearest node type. */
export function unknownNodeType(name: string, catalog: Pick<Catalog, 'entries'>): string {
  const near = nearestNodeType(name, catalog);
  const hint = near === undefined ? '.' : `; did you mean ${JSON.stringify(near)}?`;
  return `There is no node type ${JSON.stringify(name.slice(0, MAX_NAME))}${hint}`;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** Edits (insert, delete, replace) from one text to the other, or `limit` where there are as many or more. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    let least = i;
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
