// Defines fixes for issues of nodes: types, ports, groups, and lists of different lengths.
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { getChildIds, withType } from '../../../src/graph/edit.ts';
import { resolveEdgePorts } from '../../../src/graph/handles.ts';
import { withInputNames } from '../../../src/graph/input-names.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { type Change, findNode } from '../board.ts';
import { getPorts } from '../catalog.ts';
import { findFreeId, remove, replaceNodes, setConfig, setData } from '../edits.ts';
import { toCategory } from '../placement.ts';
import { type FindFix, type Fix, type FixContext, findIssueNode, getLastSegment, toFix } from './fix.ts';

const fixMessages = messages.flow.fixes;

export const NODE_FIXES: Readonly<Record<string, FindFix>> = {
  unknown_node_type: createReplaceTypeFix,
  deprecated_type: createReplaceTypeFix,
  wrong_type: context => {
    const { suggestion } = context.issue;
    const node = findIssueNode(context);
    if (node === undefined || suggestion === undefined || node.type === suggestion) return undefined;
    return toFix(
      fixMessages.rightKind,
      replaceNodes(context.board, [node.id], previous => ({ ...previous, type: suggestion })),
    );
  },
  unknown_category: context => {
    const node = findIssueNode(context);
    const entry = context.catalog.find(node?.data.nodeType ?? '');
    const category = entry === undefined ? context.issue.suggestion : toCategory(entry);
    if (node === undefined || category === undefined) return undefined;
    return toFix(fixMessages.category(category), setData(context.board, node.id, { category }));
  },
  stray_port: context => {
    const node = findIssueNode(context);
    const inputs = node?.data.inputs?.filter((_, index) => String(index) !== getLastSegment(context));
    if (node === undefined || inputs === undefined) return undefined;
    return toFix(fixMessages.dropPort, setData(context.board, node.id, { inputs }));
  },
  required_port_unfed: context => {
    const node = findIssueNode(context);
    if (node === undefined) return undefined;
    const input = getPorts(context.catalog, node).inputs.find(({ id }) => id === context.issue.port);
    return input && { kind: 'fill', label: fixMessages.fill(input.label), nodeId: node.id, input };
  },
  duplicate_node_id: ({ board, issue: { nodeId } }) => {
    const index = board.nodes.findLastIndex(({ id }) => id === nodeId);
    const before = board.nodes[index];
    if (before === undefined || board.nodes.findIndex(({ id }) => id === nodeId) === index) return undefined;
    return toFix(fixMessages.newId, [
      { of: 'nodes', index, before, after: { ...before, id: findFreeId(board, before.id) } },
    ]);
  },
  invalid_input_name: createNameFix,
  duplicate_input_name: createNameFix,
  unknown_group_member: context =>
    createRemoveMembersFix(context, id => findNode(context.board, id) !== undefined),
  shared_group_member: context => {
    const before = context.board.nodes.slice(
      0,
      context.board.nodes.findIndex(({ id }) => id === context.issue.nodeId),
    );
    const takenMembers = new Set(before.flatMap(getChildIds));
    return createRemoveMembersFix(context, id => !takenMembers.has(id));
  },
  group_against_wiring: createAddToGroupFix,
  unequal_lists: context => {
    const node = findIssueNode(context);
    return (
      node &&
      toFix(fixMessages.product, setConfig(context.board, context.catalog, node.id, { fanOut: 'product' }))
    );
  },
  provider_not_configured: () => ({ kind: 'providers', label: messages.flow.errorActions.providers }),
};

/** Names the input by its name or label, with a number if another input has the name. */
function createNameFix(context: FixContext): Fix | undefined {
  const { nodes } = context.board;
  const node = findIssueNode(context);
  if (node === undefined) return undefined;
  const others = nodes.filter(other => other !== node);
  const [{ data } = node] = withInputNames([node], others);
  const name = String(data.name);
  return toFix(fixMessages.renameInput(name), setData(context.board, node.id, { name }));
}

/** Replaces the node's type with the suggested type or one with compatible ports. Otherwise removes the node. */
function createReplaceTypeFix(context: FixContext): Fix | undefined {
  const { board, catalog, issue } = context;
  const node = findIssueNode(context);
  if (node === undefined) return undefined;
  const entry = catalog.find(issue.suggestion ?? '') ?? findSubstitute(context, node);
  if (entry === undefined) return toFix(fixMessages.removeNode, remove(board, { nodes: [node.id] }));
  const changedGraph = withType(board, node, entry, catalog);
  return toFix(fixMessages.changeType(entry.label), [
    ...replaceNodes(board, [node.id], () => changedGraph.nodes[board.nodes.indexOf(node)] ?? node),
    ...changedGraph.edges.flatMap((after, index): Change[] => {
      const before = board.edges[index];
      return before === undefined || before === after ? [] : [{ of: 'edges', index, before, after }];
    }),
  ]);
}

/**
 * Finds a type of the same family (the part before the colon) that keeps all edges. Prefers types that keep most settings,
 * then cheap types.
 */
function findSubstitute({ board, catalog }: FixContext, node: GraphNode): CatalogEntry | undefined {
  const [kind] = node.data.nodeType.split(':');
  const keys = Object.keys(node.data.config ?? {});
  const edges = board.edges.filter(({ source, target }) => source === node.id || target === node.id);
  const fits = (entry: CatalogEntry): boolean =>
    edges.every(edge => {
      const [from, to] = [edge.source, edge.target].map(id => {
        if (id === node.id) return entry;
        const otherNode = findNode(board, id);
        return otherNode && getPorts(catalog, otherNode);
      });
      return (
        from === undefined || to === undefined || resolveEdgePorts(edge, from, to, new Set()) !== undefined
      );
    });
  const countLostSettings = ({ inputs }: CatalogEntry): number =>
    keys.filter(key => !inputs.some(({ id }) => id === key)).length;
  const getPrice = ({ executionCost, estimatedCredits }: CatalogEntry): number =>
    executionCost === 'free' ? 0 : (estimatedCredits ?? Number.MAX_SAFE_INTEGER);
  return catalog.entries
    .filter(({ nodeType, hidden, deprecated }) => nodeType.startsWith(`${kind}:`) && !hidden && !deprecated)
    .filter(({ nodeType }) => nodeType !== node.data.nodeType)
    .filter(fits)
    .sort((a, b) => countLostSettings(a) - countLostSettings(b) || getPrice(a) - getPrice(b))[0];
}

function createRemoveMembersFix(context: FixContext, isValid: (id: string) => boolean): Fix | undefined {
  const node = findIssueNode(context);
  if (node === undefined) return undefined;
  const members = getChildIds(node);
  const validMembers = members.filter(isValid);
  if (validMembers.length === members.length) return undefined;
  return toFix(
    fixMessages.leaveGroup,
    setConfig(context.board, context.catalog, node.id, { childNodeIds: validMembers }),
  );
}

/** Adds all nodes between the members to the group, unless they are in another group. */
function createAddToGroupFix(context: FixContext): Fix | undefined {
  const { board } = context;
  const node = findIssueNode(context);
  if (node === undefined) return undefined;
  const members = new Set(getChildIds(node));
  const downstream = collectReachable(members, id =>
    board.edges.filter(e => e.source === id).map(e => e.target),
  );
  const upstream = collectReachable(members, id =>
    board.edges.filter(e => e.target === id).map(e => e.source),
  );
  const idsInOtherGroups = new Set(board.nodes.filter(({ id }) => id !== node.id).flatMap(getChildIds));
  const between = [...downstream].filter(
    id => upstream.has(id) && !members.has(id) && findNode(board, id) !== undefined,
  );
  if (between.length === 0 || between.some(id => idsInOtherGroups.has(id))) return undefined;
  const childNodeIds = [...getChildIds(node), ...between];
  return toFix(
    fixMessages.intoGroup(between.length),
    setConfig(board, context.catalog, node.id, { childNodeIds }),
  );
}

/** Collects the nodes reachable from `from`. A node of `from` is included only if another node leads to it. */
function collectReachable(
  from: ReadonlySet<string>,
  getNeighbors: (id: string) => readonly string[],
): ReadonlySet<string> {
  const visited = new Set([...from].flatMap(getNeighbors));
  for (const id of visited) for (const neighbor of getNeighbors(id)) visited.add(neighbor);
  return visited;
}
