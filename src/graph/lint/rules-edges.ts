// Defines the lint rules for edges: both nodes and ports exist, types are compatible, and a single-value port has one
// connection.

import { isBypassed } from '../bypass.ts';
import { canFeed, type OutputDef } from '../catalog.ts';
import { type PortSide, toHandle, toPortId } from '../handles.ts';
import { quote, toJsonPointer } from '../issues.ts';
import { type ComparisonBudget, findNearestName } from '../nearest.ts';
import { BLANK } from '../valid-parts.ts';
import type { LintContext, LintEdge, LintNode, Rule, RuleIssue } from './context.ts';

export const EDGE_RULES: readonly Rule[] = [
  createEdgeRule('unknown_source', 'error', (edge, ctx) => findUnknownEnd(edge, ctx, 'source')),
  createEdgeRule('unknown_target', 'error', (edge, ctx) => findUnknownEnd(edge, ctx, 'target')),
  { code: 'unequal_lists', severity: 'error', find: findUnequalLists },
  createEdgeRule('unknown_port', 'warning', findUnknownPorts),
  createEdgeRule('incompatible_types', 'warning', findIncompatible),
  { code: 'port_fed_twice', severity: 'warning', find: findDoubleFeeds },
  { code: 'bypass_blocks', severity: 'warning', find: findBlockedEdges },
];

/** An issue of an edge rule. `key` is the member of the edge that the issue is about. */
type EdgeRuleIssue = Pick<RuleIssue, 'message' | 'suggestion'> & { readonly key: keyof LintEdge['edge'] };

function createEdgeRule(
  code: string,
  severity: Rule['severity'],
  find: (edge: LintEdge, ctx: LintContext) => Iterable<EdgeRuleIssue>,
): Rule {
  return {
    code,
    severity,
    *find(ctx) {
      for (const linted of ctx.edges) {
        for (const { key, ...issue } of find(linted, ctx)) {
          yield { edgeId: linted.edge.id, path: toJsonPointer('edges', linted.index, key), ...issue };
        }
      }
    },
  };
}

function* findUnknownEnd(
  { edge, source, target }: LintEdge,
  { nodeNames, suggestionBudget }: LintContext,
  end: 'source' | 'target',
): Iterable<EdgeRuleIssue> {
  if ((end === 'source' ? source : target) !== undefined || edge[end] === BLANK) return;
  const suggestion = findNearestName(edge[end], nodeNames(), suggestionBudget);
  const hint =
    suggestion === undefined ? 'Add the node or remove the edge.' : `Did you mean ${quote(suggestion)}?`;
  yield {
    key: end,
    message: `The edge's ${end} ${quote(edge[end])} is not a node of the workflow. ${hint}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

function* findUnknownPorts(
  { edge, source, target, output, input }: LintEdge,
  { suggestionBudget }: LintContext,
): Iterable<EdgeRuleIssue> {
  // A node of unknown type has its own error. A missing handle is not reported if the other handle names no port.
  if (source?.entry === undefined || target?.entry === undefined) return;
  if (output === undefined && (edge.sourceHandle || input !== undefined || !edge.targetHandle)) {
    const ports = source.ports.outputs;
    yield {
      key: 'sourceHandle',
      ...describeUnknownPort(source, edge.sourceHandle, 'out', ports, suggestionBudget),
    };
  }
  const hasNoInputs = !target.ports.inputs.some(({ isPort }) => isPort);
  if (input === undefined && (edge.targetHandle || output !== undefined || hasNoInputs)) {
    yield {
      key: 'targetHandle',
      ...describeUnknownPort(target, edge.targetHandle, 'in', target.ports.inputs, suggestionBudget),
    };
  }
}

/** Describes an edge whose handle names no port, or without a handle and a compatible port. */
function describeUnknownPort(
  { node }: LintNode,
  handle: string | null | undefined,
  side: PortSide,
  defs: readonly Pick<OutputDef, 'id' | 'isPort'>[],
  suggestionBudget: ComparisonBudget,
): Pick<RuleIssue, 'message' | 'suggestion'> {
  const ports = defs.filter(({ isPort }) => isPort).map(({ id }) => id);
  const noun = side === 'in' ? 'input' : 'output';
  const owner = quote(node.id);
  if (ports.length === 0) return { message: `The node ${owner} has no ${noun} ports. Remove the edge.` };
  const options = ports
    .slice(0, 12)
    .map(port => toHandle(side, port))
    .join(', ');
  if (!handle)
    return {
      message: `No ${noun} port of ${owner} is compatible with the other end. Use one of ${options}.`,
    };
  const suggestion = findNearestName(toPortId(handle), ports, suggestionBudget);
  const message = `The node ${owner} has no ${noun} port ${quote(handle)}`;
  if (suggestion === undefined) return { message: `${message}. Use one of ${options}.` };
  const handleOfSuggestion = toHandle(side, suggestion);
  return {
    message: `${message}. Did you mean ${quote(handleOfSuggestion)}?`,
    suggestion: handleOfSuggestion,
  };
}

function* findIncompatible({ output, input }: LintEdge): Iterable<EdgeRuleIssue> {
  if (output === undefined || input === undefined) return;
  // A port for a list of images accepts lists and single images.
  const acceptedType = output.type === 'LIST' ? input.type : (input.itemType ?? input.type);
  if (canFeed(output.type, acceptedType)) return;
  yield {
    key: 'targetHandle',
    message: `The port ${quote(input.label)} accepts ${acceptedType}, not ${output.type}.`,
  };
}

function* findBlockedEdges({ blockedEdges }: LintContext): Iterable<RuleIssue> {
  for (const { edge, index, source, output } of blockedEdges) {
    const message = `The bypassed node ${quote(edge.source)} passes nothing to this connection: none of its connected inputs fits the output ${quote(output?.label ?? '')}. Restore the node, or connect an input of the type ${output?.type}.`;
    yield {
      edgeId: edge.id,
      ...(source === undefined ? {} : { nodeId: source.node.id }),
      path: toJsonPointer('edges', index, 'source'),
      message,
    };
  }
}

function* findDoubleFeeds({ nodes }: LintContext): Iterable<RuleIssue> {
  for (const { node, index, feeds } of nodes) {
    for (const [port, edges] of feeds) {
      const input = edges[0]?.input;
      if (edges.length < 2 || input === undefined || input.type === 'LIST') continue;
      const shownIds = edges.slice(0, 6).map(({ edge }) => quote(edge.id));
      const message = `The port ${quote(input.label)} accepts one value but has ${edges.length} connections (${shownIds.join(', ')}). Keep one.`;
      yield { nodeId: node.id, path: toJsonPointer('nodes', index), port, message };
    }
  }
}

/** Finds nodes that zip lists of different lengths. Knows only the lengths of lists that are written in the graph. */
function* findUnequalLists({ nodes }: LintContext): Iterable<RuleIssue> {
  for (const { node, index, config, feeds } of nodes) {
    if (config.fanOut === 'product' || isBypassed(node)) continue;
    const lengths = new Set<number>();
    for (const { source, input } of [...feeds.values()].flat()) {
      const items = source?.node.data.nodeType === 'input:list' ? source.config.items : undefined;
      const isMapped = input !== undefined && input.type !== 'LIST' && input.type !== 'ANY';
      if (isMapped && Array.isArray(items) && items.length > 1) lengths.add(items.length);
    }
    if (lengths.size < 2) continue;
    const message = `Lists of ${[...lengths].join(' and ')} items are combined in this node. Make them equally long, or set config.fanOut to "product".`;
    yield { nodeId: node.id, path: toJsonPointer('nodes', index), message };
  }
}
