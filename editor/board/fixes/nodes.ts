// Defines fixes for issues of whole nodes: types, ports, groups, and lists of different lengths.
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { childrenOf } from '../../../src/graph/edit.ts';
import { joinPorts } from '../../../src/graph/handles.ts';
import { describeUnfed } from '../../../src/graph/lint/rules-nodes.ts';
import { CATEGORIES, type GraphNode } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { findNode } from '../board.ts';
import { portsOf } from '../catalog.ts';
import { freeId, remove, replaceNodes, setConfig, setData } from '../edits.ts';
import { change, type FindFix, type Fix, type FixContext, lastSegment, nodeOf } from './fix.ts';

const texts = messages.flow.fixes;

export const NODE_FIXES: Readonly<Record<string, FindFix>> = {
  unknown_node_type: replaceType,
  deprecated_type: replaceType,
  wrong_type: context => {
    const { suggestion } = context.issue;
    const node = nodeOf(context);
    if (node === undefined || suggestion === undefined || node.type === suggestion) return undefined;
    return change(
      texts.rightKind,
      replaceNodes(context.board, [node.id], it => ({ ...it, type: suggestion })),
    );
  },
  unknown_category: context => {
    const node = nodeOf(context);
    const entry = context.catalog.find(node?.data.nodeType ?? '');
    const category = entry === undefined ? context.issue.suggestion : categoryOf(entry);
    if (node === undefined || category === undefined) return undefined;
    return change(texts.category(category), setData(context.board, node.id, { category }));
  },
  stray_port: context => {
    const node = nodeOf(context);
    const inputs = node?.data.inputs?.filter((_, index) => String(index) !== lastSegment(context));
    if (node === undefined || inputs === undefined) return undefined;
    return change(texts.dropPort, setData(context.board, node.id, { inputs }));
  },
  required_port_unfed: context => {
    const node = nodeOf(context);
    if (node === undefined) return undefined;
    const input = portsOf(context.catalog, node).inputs.find(
      port => describeUnfed(port) === context.issue.message,
    );
    return input && { kind: 'fill', label: texts.fill(input.label), nodeId: node.id, input };
  },
  duplicate_node_id: ({ board, issue: { nodeId } }) => {
    const index = board.nodes.findLastIndex(({ id }) => id === nodeId);
    const before = board.nodes[index];
    if (before === undefined || board.nodes.findIndex(({ id }) => id === nodeId) === index) return undefined;
    return change(texts.newId, [
      { of: 'nodes', index, before, after: { ...before, id: freeId(board, before.id) } },
    ]);
  },
  unknown_group_member: context => keepMembers(context, id => findNode(context.board, id) !== undefined),
  shared_group_member: context => {
    const before = context.board.nodes.slice(
      0,
      context.board.nodes.findIndex(({ id }) => id === context.issue.nodeId),
    );
    const taken = new Set(before.flatMap(childrenOf));
    return keepMembers(context, id => !taken.has(id));
  },
  group_against_wiring: addToGroup,
  unequal_lists: context => {
    const node = nodeOf(context);
    return node && change(texts.product, setConfig(context.board, node.id, 'fanOut', 'product'));
  },
  provider_not_configured: () => ({
    kind: 'page',
    label: messages.flow.errorActions.providers,
    href: '/settings/providers',
  }),
};

/** Replaces the node's type with the suggested type or one with compatible ports. Otherwise removes the node. */
function replaceType(context: FixContext): Fix | undefined {
  const { board, catalog, issue } = context;
  const node = nodeOf(context);
  if (node === undefined) return undefined;
  const entry = catalog.find(issue.suggestion ?? '') ?? findSubstitute(context, node);
  if (entry === undefined) return change(texts.removeNode, remove(board, { nodes: [node.id] }));
  return change(
    texts.changeType(entry.label),
    replaceNodes(board, [node.id], ({ data: { inputs: _, outputs: __, ...data }, ...rest }) => ({
      ...rest,
      type: entry.customNodeType ?? 'basedNode',
      data: { ...data, nodeType: entry.nodeType, category: categoryOf(entry) },
    })),
  );
}

/** Prefers types of the same family (before the colon) that lose no edge and the fewest settings, then the cheapest. */
function findSubstitute({ board, catalog }: FixContext, node: GraphNode): CatalogEntry | undefined {
  const [kind] = node.data.nodeType.split(':');
  const keys = Object.keys(node.data.config ?? {});
  const edges = board.edges.filter(({ source, target }) => source === node.id || target === node.id);
  const fits = (entry: CatalogEntry): boolean =>
    edges.every(edge => {
      const [from, to] = [edge.source, edge.target].map(id => {
        if (id === node.id) return entry;
        const other = findNode(board, id);
        return other && portsOf(catalog, other);
      });
      return from === undefined || to === undefined || joinPorts(edge, from, to, new Set()) !== undefined;
    });
  const lost = ({ inputs }: CatalogEntry): number =>
    keys.filter(key => !inputs.some(({ id }) => id === key)).length;
  const price = ({ executionCost, estimatedCredits }: CatalogEntry): number =>
    executionCost === 'free' ? 0 : (estimatedCredits ?? Number.MAX_SAFE_INTEGER);
  return catalog.entries
    .filter(({ nodeType, hidden, deprecated }) => nodeType.startsWith(`${kind}:`) && !hidden && !deprecated)
    .filter(({ nodeType }) => nodeType !== node.data.nodeType)
    .filter(fits)
    .sort((a, b) => lost(a) - lost(b) || price(a) - price(b))[0];
}

const categoryOf = ({ category }: CatalogEntry): string =>
  CATEGORIES.find(known => known === category) ?? 'model';

function keepMembers(context: FixContext, isKept: (id: string) => boolean): Fix | undefined {
  const node = nodeOf(context);
  if (node === undefined) return undefined;
  const members = childrenOf(node);
  const kept = members.filter(isKept);
  if (kept.length === members.length) return undefined;
  return change(texts.leaveGroup, setConfig(context.board, node.id, 'childNodeIds', kept));
}

/** Adds all nodes between the members to the group, unless they are in another group. */
function addToGroup(context: FixContext): Fix | undefined {
  const { board } = context;
  const node = nodeOf(context);
  if (node === undefined) return undefined;
  const members = new Set(childrenOf(node));
  const after = reached(members, id => board.edges.filter(e => e.source === id).map(e => e.target));
  const before = reached(members, id => board.edges.filter(e => e.target === id).map(e => e.source));
  const elsewhere = new Set(board.nodes.filter(({ id }) => id !== node.id).flatMap(childrenOf));
  const between = [...after].filter(
    id => before.has(id) && !members.has(id) && findNode(board, id) !== undefined,
  );
  if (between.length === 0 || between.some(id => elsewhere.has(id))) return undefined;
  const childNodeIds = [...childrenOf(node), ...between];
  return change(texts.intoGroup(between.length), setConfig(board, node.id, 'childNodeIds', childNodeIds));
}

/** Collects all nodes reachable from the given ones. A given node counts only if it is reached through another. */
function reached(from: ReadonlySet<string>, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set([...from].flatMap(next));
  for (const id of seen) for (const other of next(id)) seen.add(other);
  return seen;
}
