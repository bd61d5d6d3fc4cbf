// Replaces `%Node name.widget%` in the file names of nodes that save, as ComfyUI's frontend does when it makes a prompt.
import type { Json } from '../types.ts';
import type { PlacedNode } from './expand.ts';

const FIELD = 'filename_prefix';
const REFERENCE = /%([^%.]{1,200})\.([^%.]{1,200})%/g;
/** Characters that file names cannot have. */
const FORBIDDEN = /[/?<>\\:*|"\p{Cc}]/gu;
const MAX_LENGTH = 1000;

/** Replaces references in the inputs, which are by node id. Other placeholders are left to the server. */
export function replaceNames(
  nodes: readonly PlacedNode[],
  inputs: ReadonlyMap<string, Record<string, Json>>,
): void {
  if (![...inputs.values()].some(values => hasReference(values[FIELD]))) return;
  const byName = new Map<string, PlacedNode>();
  for (const getName of [getTitle, getSearchName])
    for (const placed of nodes) {
      const name = getName(placed);
      if (name !== undefined) byName.set(name, placed);
    }
  for (const values of inputs.values()) {
    const text = values[FIELD];
    if (typeof text !== 'string' || text.length > MAX_LENGTH) continue;
    values[FIELD] = text.replaceAll(REFERENCE, (reference, name: string, widget: string) => {
      const placed = byName.get(name);
      const value = placed === undefined ? undefined : inputs.get(placed.key)?.[widget];
      const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return isShown ? String(value).slice(0, MAX_LENGTH).replaceAll(FORBIDDEN, '_') : reference;
    });
  }
}

const hasReference = (value: Json | undefined): boolean => typeof value === 'string' && value.includes('%');

const getTitle = ({ node }: PlacedNode): string | undefined => node.title;

function getSearchName({ node }: PlacedNode): string | undefined {
  const name = node.properties['Node name for S&R'];
  return typeof name === 'string' ? name : undefined;
}
