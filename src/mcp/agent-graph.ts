// Converts graphs to and from the format of agents: nodes without positions and ports, edges as "a.text -> b.prompt".
// Presents issues and prices, and rejects changes of video:renderer nodes.
import { Type } from 'typebox';
import type { Catalog } from '../graph/catalog.ts';
import { completeEdges, getTypeDefaults } from '../graph/complete.ts';
import type { ComponentPort } from '../graph/config-ports.ts';
import type { EdgeEnds } from '../graph/handles.ts';
import type { LintIssue } from '../graph/issues.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../graph/types.ts';
import { AppError, type Issue } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { estimateGraph, type GraphPrice, type GraphToPrice } from '../runs/estimate/estimate-graph.ts';
import type { Deps } from '../services/deps.ts';
import type { ToolContext } from './tool.ts';

export interface AgentNode {
  readonly id: string;
  readonly nodeType: string;
  readonly label?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** A node that may have no position yet. Writing the graph positions such nodes. */
export interface UnplacedNode {
  readonly id: string;
  readonly type: string;
  readonly data: GraphNode['data'];
  readonly position?: GraphNode['position'];
  readonly [key: string]: unknown;
}

/** Converts an agent's node to a graph node. Lint reports unknown node types. */
export function toGraphNode(catalog: Catalog, { id, nodeType, label, config }: AgentNode): UnplacedNode {
  const { type, category, ...defaults } = getTypeDefaults(nodeType, catalog.find(nodeType));
  const data = { label: label ?? defaults.label, category, nodeType, config: (config ?? {}) as JsonObject };
  return { id, type, data };
}

/** Positions the nodes in a grid, so that a graph that is too large for the layout stays readable. */
function placeInGrid(nodes: readonly UnplacedNode[]): readonly GraphNode[] {
  const columns = Math.max(8, Math.ceil(Math.sqrt(nodes.length)));
  return nodes.map((node, index) => ({
    ...node,
    position: { x: (index % columns) * 420, y: Math.floor(index / columns) * 320 },
  }));
}

interface EdgeEnd {
  readonly nodeId: string;
  readonly port?: string | undefined;
}

/** Parses an edge such as `a.text -> b.prompt`. Throws 400. */
export function parseEdgeText(line: string, nodeIds: ReadonlySet<string>, path: string): EdgeEnds {
  const [sourceText = '', targetText = '', ...rest] = line.split('->').map(end => end.trim());
  if (sourceText === '' || targetText === '' || rest.length > 0) {
    const message = 'must have the form "node.port -> node.port", such as "idea.text -> picture.prompt"';
    throw new AppError('invalid_graph', `The edge ${JSON.stringify(line)} ${message}.`, {
      issues: [{ path, code: 'invalid_edge', message }],
    });
  }
  const source = parseEnd(sourceText, nodeIds);
  const target = parseEnd(targetText, nodeIds);
  return {
    source: source.nodeId,
    target: target.nodeId,
    // Lint messages name handles, so handles are accepted as well.
    ...(source.port === undefined ? {} : { sourceHandle: `out-${source.port.replace(/^out-/, '')}` }),
    ...(target.port === undefined ? {} : { targetHandle: `in-${target.port.replace(/^in-/, '')}` }),
  };
}

/** Parses one end of an edge. Node ids and ports may contain dots, so the longest existing node id is used. */
function parseEnd(text: string, nodeIds: ReadonlySet<string>): EdgeEnd {
  if (nodeIds.has(text)) return { nodeId: text };
  for (let dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1)) {
    const nodeId = text.slice(0, dot);
    if (nodeIds.has(nodeId)) return { nodeId, port: text.slice(dot + 1) };
  }
  const dot = text.lastIndexOf('.');
  return dot > 0 ? { nodeId: text.slice(0, dot), port: text.slice(dot + 1) } : { nodeId: text };
}

const formatEnd = ({ nodeId, port }: EdgeEnd): string => (port === undefined ? nodeId : `${nodeId}.${port}`);

export function formatEdge({ source, target, sourceHandle, targetHandle }: EdgeEnds): string {
  const start = formatEnd({ nodeId: source, port: sourceHandle?.replace(/^out-/, '') });
  const end = formatEnd({ nodeId: target, port: targetHandle?.replace(/^in-/, '') });
  return `${start} -> ${end}`;
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

const RENDERER_TYPE = 'video:renderer';

export const RENDERER = {
  nodeType: RENDERER_TYPE,
  note: 'Cannot be added, connected or changed here: clone a template that contains it (list_templates, clone_template).',
  /** `path` is the location of the node in the arguments. */
  createError(path: string, nodeId?: string): AppError {
    const message = 'cannot be added, connected or changed here';
    return new AppError(
      'field_not_writable',
      `A ${RENDERER_TYPE} ${message}: clone a template that contains it (list_templates, clone_template), and change the nodes that feed it.`,
      {
        issues: [{ path, ...(nodeId === undefined ? {} : { nodeId }), code: 'field_not_writable', message }],
      },
    );
  },
} as const;
