// Prepares one layout: the nodes in scope, their previous positions, and which groups are laid out as boxes.
import type { Catalog, ResolvedPorts } from '../catalog.ts';
import { findCycles } from '../cycles.ts';
import { estimateDims, portOffset } from '../dims.ts';
import { quote } from '../issues.ts';
import type { Rect } from '../rects.ts';
import type { Graph, GraphNode } from '../types.ts';
import type { Direction } from './arrange.ts';
import { type Groups, legacyParent, readGroups } from './groups.ts';

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
  /** Groups that are laid out as boxes with their members inside. */
  readonly closed: Set<string>;
  readonly warnings: string[];
  /** Where a node was, in absolute coordinates. */
  before(id: string): Rect;
  ports(id: string): ResolvedPorts;
}

export function makeContext(
  graph: Graph,
  catalog: Catalog,
  { scope, direction = 'RIGHT' }: LayoutOptions,
): LayoutContext {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  const groups = readGroups(graph, catalog);
  const wanted = new Set(scope ?? nodes.keys());
  // In graph order, whatever the order of the scope.
  const inScope = new Set([...nodes.keys()].filter(id => wanted.has(id)));
  const warnings: string[] = [];
  const unknown = [...wanted].filter(id => !nodes.has(id));
  if (unknown.length > 0) {
    warnings.push(
      `scope names ${unknown.slice(0, 6).map(quote).join(', ')}, of which there is no node; ignored.`,
    );
  }
  const isWhole = (id: string): boolean => inScope.has(id) && (groups.members.get(id) ?? []).every(isWhole);
  const closed = new Set(
    [...groups.members].flatMap(([id, members]) => (members.length > 0 && isWhole(id) ? [id] : [])),
  );
  const before = remember(id => absoluteRect(nodes, id, catalog));
  const ports = remember(id => {
    const { nodeType = '', config = {} } = nodes.get(id)?.data ?? {};
    return catalog.ports(nodeType, config);
  });
  return { graph, catalog, direction, nodes, groups, inScope, closed, warnings, before, ports };
}

function remember<T>(find: (id: string) => T): (id: string) => T {
  const known = new Map<string, T>();
  return id => {
    const found = known.get(id) ?? find(id);
    known.set(id, found);
    return found;
  };
}

function absoluteRect(nodes: ReadonlyMap<string, GraphNode>, id: string, catalog: Catalog): Rect {
  const node = nodes.get(id);
  if (node === undefined) return { x: 0, y: 0, width: 0, height: 0 };
  const { width, height } = estimateDims(node, catalog);
  let { x, y } = node.position;
  const seen = new Set([id]);
  for (let parent = legacyParent(node); parent !== undefined && !seen.has(parent); ) {
    seen.add(parent);
    const owner = nodes.get(parent);
    x += owner?.position.x ?? 0;
    y += owner?.position.y ?? 0;
    parent = owner === undefined ? undefined : legacyParent(owner);
  }
  return { x, y, width, height };
}

/** The innermost group around a node that is laid out as a box. */
export function closedOwner({ groups, closed }: LayoutContext, id: string): string | undefined {
  let owner = groups.ownerOf.get(id);
  while (owner !== undefined && !closed.has(owner)) owner = groups.ownerOf.get(owner);
  return owner;
}

/** A group with members that is not laid out as a box: its frame is fitted at the end. */
export function isOpened({ groups, closed }: LayoutContext, id: string): boolean {
  return (groups.members.get(id)?.length ?? 0) > 0 && !closed.has(id);
}

export function openTornGroups(ctx: LayoutContext): void {
  for (;;) {
    const torn = findTorn(ctx);
    if (torn.length === 0) return;
    for (const id of torn) {
      ctx.closed.delete(id);
      ctx.warnings.push(
        `${id}: Connections leave this group and return to it. Its frame also covers the nodes in between.`,
      );
    }
  }
}

/** Groups that would lie on a cycle of boxes, at any level, if treated as boxes. */
function findTorn(ctx: LayoutContext): string[] {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const { source, target } of ctx.graph.edges) {
    if (!ctx.inScope.has(source) || !ctx.inScope.has(target)) continue;
    const [from, to] = [pathOf(ctx, source), pathOf(ctx, target)];
    const depth = from.findIndex((id, at) => id !== to[at]);
    const [a, b] = [from[depth], to[depth]];
    if (a === undefined || b === undefined) continue;
    const level = levels.get(from[depth - 1] ?? '') ?? new Map<string, Set<string>>();
    levels.set(from[depth - 1] ?? '', level);
    level.set(a, (level.get(a) ?? new Set()).add(b));
    level.set(b, level.get(b) ?? new Set());
  }
  return [...levels.values()].flatMap(level => findTornOf(level).filter(id => ctx.closed.has(id)));
}

function findTornOf(targets: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const ids = [...targets.keys()];
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const lists = [...targets.values()].map(list => [...list].flatMap(id => indexes.get(id) ?? []));
  return findCycles(lists)
    .flat()
    .flatMap(index => ids[index] ?? []);
}

/** The boxes around a node from outside in, ending with the node. */
function pathOf(ctx: LayoutContext, id: string): string[] {
  const owner = closedOwner(ctx, id);
  return owner === undefined ? [id] : [...pathOf(ctx, owner), id];
}

/** The offset of a port below its node's top; the first port's if the handle names none. */
export function portY(
  { before, ports }: LayoutContext,
  id: string,
  handle: string | null | undefined,
  side: 'inputs' | 'outputs',
): number {
  const name = (handle ?? '').replace(/^(?:in|out)-/, '');
  const wireable = ports(id)[side].filter(({ isPort }) => isPort);
  const index = wireable.findIndex(port => port.id === name);
  return Math.min(portOffset(Math.max(0, index)), before(id).height);
}
