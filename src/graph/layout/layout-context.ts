// Prepares one layout: the nodes in scope, their previous positions, and which groups are laid out as boxes.

import type { Catalog, ResolvedPorts } from '../catalog.ts';
import { findCycles } from '../cycles.ts';
import { getDims, getPortOffset } from '../dims.ts';
import { toPortId } from '../handles.ts';
import { quote } from '../issues.ts';
import type { Rect } from '../rects.ts';
import type { Graph, GraphNode } from '../types.ts';
import type { Direction } from './arrange.ts';
import { findLegacyParent, type Groups, readGroups } from './groups.ts';

export interface LayoutOptions {
  /** Ids of the nodes to lay out; all if absent. */
  readonly scope?: readonly string[] | undefined;
  readonly direction?: Direction | undefined;
}

/** Data shared by all levels of one layout. */
export interface LayoutContext {
  readonly graph: Graph;
  readonly catalog: Catalog;
  readonly direction: Direction;
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly groups: Groups;
  readonly inScope: ReadonlySet<string>;
  /** Groups that are laid out as one box with their members inside. */
  readonly boxedGroups: Set<string>;
  readonly warnings: string[];
  /** Returns the previous rectangle of a node in absolute coordinates. */
  getPreviousRect(id: string): Rect;
  getPorts(id: string): ResolvedPorts;
}

export function createContext(
  graph: Graph,
  catalog: Catalog,
  { scope, direction = 'RIGHT' }: LayoutOptions,
): LayoutContext {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  const groups = readGroups(graph, catalog);
  const scopeIds = new Set(scope ?? nodes.keys());
  // `inScope` is in the order of the graph, whatever the order of the scope.
  const inScope = new Set([...nodes.keys()].filter(id => scopeIds.has(id)));
  const warnings: string[] = [];
  const unknownIds = [...scopeIds].filter(id => !nodes.has(id));
  if (unknownIds.length > 0) {
    warnings.push(
      `scope contains unknown nodes, which are ignored: ${unknownIds.slice(0, 6).map(quote).join(', ')}.`,
    );
  }
  const isWhole = (id: string): boolean => inScope.has(id) && (groups.members.get(id) ?? []).every(isWhole);
  const boxedGroups = new Set(
    [...groups.members].flatMap(([id, members]) => (members.length > 0 && isWhole(id) ? [id] : [])),
  );
  const getPreviousRect = memoize(id => getAbsoluteRect(nodes, id, catalog));
  const getPorts = memoize(id => {
    const { nodeType = '', config = {} } = nodes.get(id)?.data ?? {};
    return catalog.ports(nodeType, config);
  });
  return {
    graph,
    catalog,
    direction,
    nodes,
    groups,
    inScope,
    boxedGroups,
    warnings,
    getPreviousRect,
    getPorts,
  };
}

function memoize<T>(find: (id: string) => T): (id: string) => T {
  const cache = new Map<string, T>();
  return id => {
    const result = cache.get(id) ?? find(id);
    cache.set(id, result);
    return result;
  };
}

function getAbsoluteRect(nodes: ReadonlyMap<string, GraphNode>, id: string, catalog: Catalog): Rect {
  const node = nodes.get(id);
  if (node === undefined) return { x: 0, y: 0, width: 0, height: 0 };
  const { width, height } = getDims(node, catalog);
  let { x, y } = node.position;
  const visitedIds = new Set([id]);
  for (let parent = findLegacyParent(node); parent !== undefined && !visitedIds.has(parent); ) {
    visitedIds.add(parent);
    const owner = nodes.get(parent);
    x += owner?.position.x ?? 0;
    y += owner?.position.y ?? 0;
    parent = owner === undefined ? undefined : findLegacyParent(owner);
  }
  return { x, y, width, height };
}

/** Returns the innermost group around a node that is laid out as a box. */
export function findBoxedOwner({ groups, boxedGroups }: LayoutContext, id: string): string | undefined {
  let owner = groups.ownerIds.get(id);
  while (owner !== undefined && !boxedGroups.has(owner)) owner = groups.ownerIds.get(owner);
  return owner;
}

/** Returns whether the id is a group that is not laid out as a box, and whose frame is fitted to its members at the end. */
export function isUnboxedGroup({ groups, boxedGroups }: LayoutContext, id: string): boolean {
  return (groups.members.get(id)?.length ?? 0) > 0 && !boxedGroups.has(id);
}

/** Removes groups from `boxedGroups` until no cycle of boxes remains, and adds a warning for each removed group. */
export function unboxCyclicGroups(ctx: LayoutContext): void {
  for (;;) {
    const cyclicGroups = findCyclicGroups(ctx);
    if (cyclicGroups.length === 0) return;
    for (const id of cyclicGroups) {
      ctx.boxedGroups.delete(id);
      ctx.warnings.push(
        `${id}: Connections leave this group and return to it. Its frame also covers the nodes in between.`,
      );
    }
  }
}

/** Returns the groups that lie on a cycle of boxes at any level. */
function findCyclicGroups(ctx: LayoutContext): string[] {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const { source, target } of ctx.graph.edges) {
    if (!ctx.inScope.has(source) || !ctx.inScope.has(target)) continue;
    const [from, to] = [listOwners(ctx, source), listOwners(ctx, target)];
    const depth = from.findIndex((id, index) => id !== to[index]);
    const [a, b] = [from[depth], to[depth]];
    if (a === undefined || b === undefined) continue;
    const level = levels.get(from[depth - 1] ?? '') ?? new Map<string, Set<string>>();
    levels.set(from[depth - 1] ?? '', level);
    level.set(a, (level.get(a) ?? new Set()).add(b));
    level.set(b, level.get(b) ?? new Set());
  }
  return [...levels.values()].flatMap(level => findCyclicIds(level).filter(id => ctx.boxedGroups.has(id)));
}

function findCyclicIds(targets: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const ids = [...targets.keys()];
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const lists = [...targets.values()].map(list => [...list].flatMap(id => indexes.get(id) ?? []));
  return findCycles(lists)
    .flat()
    .flatMap(index => ids[index] ?? []);
}

/** Returns the boxes around a node from the outermost inwards, ending with the node itself. */
function listOwners(ctx: LayoutContext, id: string): string[] {
  const owner = findBoxedOwner(ctx, id);
  return owner === undefined ? [id] : [...listOwners(ctx, owner), id];
}

/** Returns the offset of a port below its node's top. Uses the first port if the handle names none. */
export function getPortY(
  { getPreviousRect, getPorts }: LayoutContext,
  id: string,
  handle: string | null | undefined,
  side: 'inputs' | 'outputs',
): number {
  const name = toPortId(handle ?? '');
  const ports = getPorts(id)[side].filter(({ isPort }) => isPort);
  const index = ports.findIndex(port => port.id === name);
  return Math.min(getPortOffset(Math.max(0, index)), getPreviousRect(id).height);
}
