// Defines the lint rules for the whole graph: size, ids, cycles and groups.
import { findCycles } from '../cycles.ts';
import { isInputName, isNamedInput, NAME_RULE } from '../input-names.ts';
import { quote, toJsonPointer } from '../issues.ts';
import { BLANK } from '../valid-parts.ts';
import type { LintContext, LintEdge, LintNode, Rule, RuleIssue } from './context.ts';

const MAX_EDGES = 1500;
const MAX_READABLE_NODES = 100;
const MAX_LISTED_IDS = 6;

export const GRAPH_RULES: readonly Rule[] = [
  { code: 'no_nodes', severity: 'error', find: findNoNodes },
  { code: 'too_many_edges', severity: 'error', find: findTooManyEdges },
  { code: 'duplicate_node_id', severity: 'error', find: findDuplicateNodes },
  { code: 'duplicate_edge_id', severity: 'error', find: findDuplicateEdges },
  { code: 'invalid_input_name', severity: 'error', find: findInvalidNames },
  { code: 'duplicate_input_name', severity: 'error', find: findDuplicateNames },
  { code: 'too_many_nodes', severity: 'warning', find: findManyNodes },
  { code: 'cycle', severity: 'warning', find: findCycleWarnings },
  { code: 'unknown_group_member', severity: 'warning', find: findUnknownMembers },
  { code: 'shared_group_member', severity: 'warning', find: findSharedMembers },
  { code: 'group_against_wiring', severity: 'warning', find: findReenteredGroups },
];

function* findNoNodes({ nodes }: LintContext): Iterable<RuleIssue> {
  if (nodes.length === 0) yield { path: '/nodes', message: 'The workflow has no nodes. Add at least one.' };
}

function* findTooManyEdges({ edges }: LintContext): Iterable<RuleIssue> {
  if (edges.length <= MAX_EDGES) return;
  const message = `The graph has ${edges.length} edges, but at most ${MAX_EDGES} are allowed. Split it into several workflows.`;
  yield { path: '/edges', message };
}

function* findDuplicateNodes({ nodes, byId }: LintContext): Iterable<RuleIssue> {
  for (const { node, index } of nodes) {
    if (node.id === BLANK || byId.get(node.id)?.index === index) continue;
    const message = `Another node has the id ${quote(node.id)} too. Give each a unique id.`;
    yield { nodeId: node.id, path: toJsonPointer('nodes', index, 'id'), message };
  }
}

function* findDuplicateEdges({ edges }: LintContext): Iterable<RuleIssue> {
  const seenIds = new Set<string>();
  for (const { edge, index } of edges) {
    if (edge.id !== BLANK && seenIds.has(edge.id)) {
      const message = `Another edge has the id ${quote(edge.id)} too. Give each a unique id.`;
      yield { edgeId: edge.id, path: toJsonPointer('edges', index, 'id'), message };
    }
    seenIds.add(edge.id);
  }
}

function* findInvalidNames({ nodes }: LintContext): Iterable<RuleIssue> {
  for (const { node, index } of nodes) {
    const { name } = node.data;
    if (!isNamedInput(node) || name === undefined || isInputName(name)) continue;
    const message = `The name of an input must be ${NAME_RULE}. Without data.name, it is made from the label.`;
    yield { nodeId: node.id, path: toNamePath(index), message };
  }
}

const toNamePath = (index: number): string => toJsonPointer('nodes', index, 'data', 'name');

/** Finds names that another input has, as its name or as its id. */
function* findDuplicateNames({ nodes }: LintContext): Iterable<RuleIssue> {
  const inputs = nodes.filter(({ node }) => isNamedInput(node));
  const ownersByKey = new Map(inputs.map(({ node }) => [node.id, node.id]));
  for (const { node, index } of inputs) {
    const { name } = node.data;
    if (!isInputName(name)) continue;
    const owner = ownersByKey.get(name);
    if (owner === undefined) ownersByKey.set(name, node.id);
    if (owner === undefined || owner === node.id) continue;
    const message = `The input ${quote(owner)} has the name ${quote(name)} too. Give each input a unique name.`;
    yield { nodeId: node.id, path: toNamePath(index), message };
  }
}

function* findManyNodes({ nodes }: LintContext): Iterable<RuleIssue> {
  if (nodes.length <= MAX_READABLE_NODES) return;
  const message = `The graph has ${nodes.length} nodes. With more than ${MAX_READABLE_NODES} it is hard to read and slow to edit.`;
  yield { path: '/nodes', message };
}

function* findCycleWarnings({ nodes, edges, byId }: LintContext): Iterable<RuleIssue> {
  const targets = nodes.map((): number[] => []);
  for (const { source, target } of edges) {
    if (source !== undefined && target !== undefined) targets[source.index]?.push(target.index);
  }
  for (const cycle of findCycles(targets)) {
    const ids = cycle.flatMap(index => nodes[index]?.node.id ?? []);
    const [firstId = ''] = ids;
    const index = byId.get(firstId)?.index ?? 0;
    const message =
      ids.length === 1
        ? 'The node is connected to itself and cannot run. Remove that connection.'
        : `The nodes ${joinNames(ids)} form a cycle and cannot run. Remove one of the connections.`;
    yield { nodeId: firstId, path: toJsonPointer('nodes', index), message };
  }
}

function* findUnknownMembers(ctx: LintContext): Iterable<RuleIssue> {
  for (const [group, members] of listGroups(ctx)) {
    const unknownIds = members.filter(id => !ctx.byId.has(id));
    if (unknownIds.length === 0) continue;
    const message = `childNodeIds contains unknown nodes: ${joinNames(unknownIds)}.`;
    yield { nodeId: group.node.id, path: getMembersPath(group), message };
  }
}

function* findSharedMembers(ctx: LintContext): Iterable<RuleIssue> {
  const owners = new Map<string, LintNode>();
  for (const [group, members] of listGroups(ctx)) {
    for (const id of new Set(members)) {
      const owner = owners.get(id);
      owners.set(id, owner ?? group);
      if (owner === undefined || !ctx.byId.has(id)) continue;
      const message = `${quote(id)} is already in the group ${quote(owner.node.id)}. A node can be in only one group.`;
      yield { nodeId: group.node.id, path: getMembersPath(group), message };
    }
  }
}

/** Finds groups that a path leaves and re-enters. The layout cannot place the nodes in between outside the frame. */
function* findReenteredGroups(ctx: LintContext): Iterable<RuleIssue> {
  const connectedEdges = ctx.edges.filter(
    ({ source, target }) => source !== undefined && target !== undefined,
  );
  const outgoing = Map.groupBy(connectedEdges, ({ edge }) => edge.source);
  for (const [group, members] of listGroups(ctx)) {
    const betweenId = findBetween(new Set(members), outgoing);
    if (betweenId === undefined) continue;
    const message = `Connections leave the group through ${quote(betweenId)} and return to it. Add that node to the group, or split the group.`;
    yield { nodeId: group.node.id, path: getMembersPath(group), message };
  }
}

/** Returns the outside node through which a path leaves the group and returns to it, found breadth-first. */
function findBetween(
  members: ReadonlySet<string>,
  outgoing: ReadonlyMap<string, readonly LintEdge[]>,
): string | undefined {
  const listTargets = (id: string): readonly string[] =>
    (outgoing.get(id) ?? []).map(({ edge }) => edge.target);
  // Reached outside node → the first outside node on the path to it.
  const exits = new Map<string, string>();
  for (const member of members) {
    for (const target of listTargets(member)) if (!members.has(target)) exits.set(target, target);
  }
  for (const [id, exit] of exits) {
    for (const target of listTargets(id)) {
      if (members.has(target)) return exit;
      if (!exits.has(target)) exits.set(target, exit);
    }
  }
  return undefined;
}

function listGroups({ nodes }: LintContext): [group: LintNode, members: string[]][] {
  return nodes.flatMap(group => {
    const members = group.config.childNodeIds;
    if (group.entry?.customNodeType !== 'groupFrame' || !Array.isArray(members)) return [];
    return [[group, members.filter(id => typeof id === 'string')]];
  });
}

function getMembersPath(group: LintNode): string {
  return toJsonPointer('nodes', group.index, 'data', 'config', 'childNodeIds');
}

function joinNames(ids: readonly string[]): string {
  const names = ids.slice(0, MAX_LISTED_IDS).map(quote).join(', ');
  return ids.length > MAX_LISTED_IDS ? `${names} and ${ids.length - MAX_LISTED_IDS} more` : names;
}
