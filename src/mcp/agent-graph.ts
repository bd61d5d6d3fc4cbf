// Converts graphs from the format of agents (services/workflows/graph-text), and presents issues and prices.
import { Type } from 'typebox';
import { completeEdges } from '../graph/complete.ts';
import type { ComponentPort } from '../graph/config-ports.ts';
import type { LintIssue } from '../graph/issues.ts';
import type { GraphEdge, GraphNode } from '../graph/types.ts';
import { AppError, type Issue } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { estimateGraph, type GraphPrice, type GraphToPrice } from '../runs/estimate/estimate-graph.ts';
import type { Deps } from '../services/deps.ts';
import {
  type AgentNode,
  parseEdgeText,
  RENDERER,
  toGraphNode,
  type UnplacedNode,
} from '../services/workflows/graph-text.ts';
import type { ToolContext } from './tool.ts';

/** Positions the nodes in a grid, so that a graph that is too large for the layout stays readable. */
function placeInGrid(nodes: readonly UnplacedNode[]): readonly GraphNode[] {
  const columns = Math.max(8, Math.ceil(Math.sqrt(nodes.length)));
  return nodes.map((node, index) => ({
    ...node,
    position: { x: (index % columns) * 420, y: Math.floor(index / columns) * 320 },
  }));
}

const MAX_PORTS = 50;

/** Formats the ports of a component: `photo IMAGE, required, The photo`. */
export function formatPorts(ports: readonly ComponentPort[]): readonly string[] {
  return ports
    .slice(0, MAX_PORTS)
    .map(({ id, type, label, required }) =>
      [`${id} ${type}`, ...(required === true ? ['required'] : []), ...(label === id ? [] : [label])].join(
        ', ',
      ),
    );
}

/** Converts an agent's graph. Rejects node types that agents cannot create. */
export function toGraph(
  { catalog }: Pick<RunDeps, 'catalog'>,
  agentNodes: readonly AgentNode[],
  edgeTexts: readonly string[],
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  agentNodes.forEach(({ nodeType }, index) => {
    if (nodeType === RENDERER.nodeType) throw RENDERER.createError(`/nodes/${index}/nodeType`);
  });
  const ids = new Set(agentNodes.map(({ id }) => id));
  return {
    nodes: placeInGrid(agentNodes.map(node => toGraphNode(catalog, node))),
    edges: completeEdges(
      edgeTexts.map((text, index) => parseEdgeText(text, ids, `/edges/${index}`)),
    ) as readonly GraphEdge[],
  };
}

type PresentedIssue = Issue & Partial<Pick<LintIssue, 'severity' | 'suggestion'>>;

/** Properties of a result that lists only some of the issues. */
export const TRUNCATION = {
  truncated: Type.Literal(true),
  total: Type.Integer({ description: 'The number of all issues, if the list is truncated' }),
};

/** Adds the severity `error` to issues without a severity: they prevent a run. */
export function presentIssues(issues: readonly PresentedIssue[]): readonly PresentedIssue[] {
  return issues.map(issue => ({ ...issue, severity: issue.severity ?? 'error' }));
}

export interface PriceResult {
  readonly price: GraphPrice | undefined;
  /** The reasons why the graph cannot run. */
  readonly issues: readonly Issue[];
}

/**
 * Returns the credits that a run would reserve. If the graph or its inputs cannot start a run, returns issues instead
 * of throwing.
 */
export async function estimatePrice({ deps, actor }: ToolContext, graph: GraphToPrice): Promise<PriceResult> {
  try {
    const price = await estimateGraph(deps, actor, graph);
    return { price, issues: price.issues };
  } catch (err) {
    if (!(err instanceof AppError) || err.status >= 500) throw err;
    return { price: undefined, issues: err.issues ?? [{ code: err.code, message: err.message }] };
  }
}

export const getWorkflowPageUrl = ({ settings }: Pick<Deps, 'settings'>, workflowId: string): string =>
  `${settings.BASE_URL}/flow/${workflowId}`;
