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
import { change, type Finding, type FindRemedy, lastSegment, nodeOf, type Remedy } from './remedy.ts';

const texts = messages.flow.remedies;

export const NODE_REMEDIES: Readonly<Record<string, FindRemedy>> = {
  unknown_node_type: replaceType,
  deprecated_type: replaceType,
  wrong_type: finding => {
    const { suggestion } = finding.issue;
    const node = nodeOf(finding);
    if (node === undefined || suggestion === undefined || node.type === suggestion) return undefined;
    return change(
      texts.rightKind,
      replaceNodes(finding.board, [node.id], it => ({ ...it, type: suggestion })),
    );
  },
  unknown_category: finding => {
    const node = nodeOf(finding);
    const entry = finding.catalog.find(node?.data.nodeType ?? '');
    const category = entry === undefined ? finding.issue.suggestion : categoryOf(entry);
    if (node === undefined || category === undefined) return undefined;
    return change(texts.category(category), setData(finding.board, node.id, { category }));
  },
  stray_port: finding => {
    const node = nodeOf(finding);
    const inputs = node?.data.inputs?.filter((_, index) => String(index) !== lastSegment(finding));
    if (node === undefined || inputs === undefined) return undefined;
    return change(texts.dropPort, setData(finding.board, node.id, { inputs }));
  },
  required_port_unfed: finding => {
    const node = nodeOf(finding);
    if (node === undefined) return undefined;
    const input = portsOf(finding.catalog, node).inputs.find(
      port => describeUnfed(port) === finding.issue.message,
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
  unknown_group_member: finding => keepMembers(finding, id => findNode(finding.board, id) !== undefined),
  shared_group_member: finding => {
    const before = finding.board.nodes.slice(
      0,
      finding.board.nodes.findIndex(({ id }) => id === finding.issue.nodeId),
    );
    const taken = new Set(before.flatMap(childrenOf));
    return keepMembers(finding, id => !taken.has(id));
  },
  group_against_wiring: takeIntoGroup,
  unequal_lists: finding => {
    const node = nodeOf(finding);
    return node && change(texts.product, setConfig(finding.board, node.id, 'fanOut', 'product'));
  },
  provider_not_configured: () => ({
    kind: 'page',
    label: messages.flow.errorActions.providers,
    href: '/settings/providers',
  }),
};

/** Replaces the node's type with the suggested type or one with compatible ports. Otherwise removes the node. */
function replaceType(finding: Finding): Remedy | undefined {
  const { board, catalog, issue } = finding;
  const node = nodeOf(finding);
  if (node === undefined) return undefined;
  const entry = catalog.find(issue.suggestion ?? '') ?? findSubstitute(finding, node);
  if (entry === undefined) return change(texts.removeNode, remove(board, { nodes: [node.id] }));
  return change(
    texts.takeType(entry.label),
    replaceNodes(board, [node.id], ({ data: { inputs: _, outputs: __, ...data }, ...rest }) => ({
      ...rest,
      type: entry.customNodeType ?? 'basedNode',
      data: { ...data, nodeType: entry.nodeType, category: categoryOf(entry) },
    })),
  );
}

/** Prefers types of the same family (before the colon) that lose no edge and the fewest settings, then the cheapest. */
function findSubstitute({ board, catalog }: Finding, node: GraphNode): CatalogEntry | undefined {
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

function keepMembers(finding: Finding, isKept: (id: string) => boolean): Remedy | undefined {
  const node = nodeOf(finding);
  if (node === undefined) return undefined;
  const members = childrenOf(node);
  const kept = members.filter(isKept);
  if (kept.length === members.length) return undefined;
  return change(texts.leaveGroup, setConfig(finding.board, node.id, 'childNodeIds', kept));
}

/** Adds all nodes between the members to the group, unless they are in another group. */
function takeIntoGroup(finding: Finding): Remedy | undefined {
  const { board } = finding;
  const node = nodeOf(finding);
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
