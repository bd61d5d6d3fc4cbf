// Finds the files of a graph that the given frames show.
import type { DrawList, DrawNode } from './draw-list.ts';

/** Returns the keys of the files. Other files need not be read or sent to the drawing thread. */
export function listUsedFiles(lists: readonly DrawList[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const pending: DrawNode[] = lists.flatMap(({ layers }) => layers.map(({ node }) => node));
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { content, mask } = node;
    if ('resource' in content) keys.add(content.resource);
    if (content.kind === 'group') pending.push(...content.children);
    if (mask !== undefined) pending.push(mask.node);
  }
  return keys;
}
