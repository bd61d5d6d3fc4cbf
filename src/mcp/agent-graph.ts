// Converts graphs, their issues and prices to and from the form that agents use: nodes without positions and ports,
// edges as "a.text -> b.prompt". Rejects changes of video:renderer nodes.
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
import type { ToolContext } from './tool-context.ts';

export interface AgentNode {
  readonly id: string;
  readonly nodeType: string;
  readonly label?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** A node as sent to a write, which positions it. */
export interface UnplacedNode {
  readonly id: string;
  readonly type: string;
  readonly data: GraphNode['data'];
  readonly position?: GraphNode['position'];
  readonly [key: string]: unknown;
}

/** Converts a node of this form to a graph node; lint reports unknown node types. */
export function toGraphNode(catalog: Catalog, { id, nodeType, label, config }: AgentNode): UnplacedNode {
  const { type, category, ...filled } = getTypeDefaults(nodeType, catalog.find(nodeType));
  const data = { label: label ?? filled.label, category, nodeType, config: (config ?? {}) as JsonObject };
  return { id, type, data };
}

/**
 * Returns initial positions for a complete graph, spread out so that a graph too large to be laid out stays readable.
 */
function placeInRows(nodes: readonly UnplacedNode[]): readonly GraphNode[] {
  const row = Math.max(8, Math.ceil(Math.sqrt(nodes.length)));
  return nodes.map((node, index) => ({
    ...node,
    position: { x: (index % row) * 420, y: Math.floor(index / row) * 320 },
  }));
}

interface EdgeEnd {
  readonly nodeId: string;
  readonly port?: string | undefined;
}

/** Parses an edge. Throws 400 if the text does not have that form. */
export function toEdge(line: string, nodeIds: ReadonlySet<string>, path: string): EdgeEnds {
  const ends = line.split('->').map(end => end.trim());
  const [from, to] = ends;
  if (ends.length !== 2 || from === undefined || to === undefined || from === '' || to === '') {
    const message = 'must have the form "node.port -> node.port", such as "idea.text -> picture.prompt"';
    throw new AppError('invalid_graph', `The edge ${JSON.stringify(line)} ${message}.`, {
      issues: [{ path, code: 'invalid_edge', message }],
    });
  }
  const source = toEnd(from, nodeIds);
  const target = toEnd(to, nodeIds);
  return {
    source: source.nodeId,
    target: target.nodeId,
    // Lint messages name handles, so handles are accepted as well.
    ...(source.port === undefined ? {} : { sourceHandle: `out-${source.port.replace(/^out-/, '')}` }),
    ...(target.port === undefined ? {} : { targetHandle: `in-${target.port.replace(/^in-/, '')}` }),
  };
}

/** Parses one end of an edge. Node ids and ports may contain dots, so the longest existing node id is used. */
function toEnd(text: string, nodeIds: ReadonlySet<string>): EdgeEnd {
  if (nodeIds.has(text)) return { nodeId: text };
  for (let dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1)) {
    const nodeId = text.slice(0, dot);
    if (nodeIds.has(nodeId)) return { nodeId, port: text.slice(dot + 1) };
  }
  const dot = text.lastIndexOf('.');
  return dot > 0 ? { nodeId: text.slice(0, dot), port: text.slice(dot + 1) } : { nodeId: text };
}

const formatEnd = ({ nodeId, port }: EdgeEnd): string => (port === undefined ? nodeId : `${nodeId}.${port}`);

/** Formats an edge. */
export function formatEdge({ source, target, sourceHandle, targetHandle }: EdgeEnds): string {
  const from = { nodeId: source, port: sourceHandle?.replace(/^out-/, '') };
  const to = { nodeId: target, port: targetHandle?.replace(/^in-/, '') };
  return `${formatEnd(from)} -> ${formatEnd(to)}`;
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

/** Converts a complete graph of this form. Rejects node types that cannot be created over MCP. */
export function toGraph(
  { catalog }: Pick<RunDeps, 'catalog'>,
  agentNodes: readonly AgentNode[],
  lines: readonly string[],
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  agentNodes.forEach(({ nodeType }, index) => {
    if (nodeType === RENDERER.nodeType) throw RENDERER.createError(`/nodes/${index}/nodeType`);
  });
  const ids = new Set(agentNodes.map(({ id }) => id));
  return {
    nodes: placeInRows(agentNodes.map(node => toGraphNode(catalog, node))),
    edges: completeEdges(
      lines.map((line, index) => toEdge(line, ids, `/edges/${index}`)),
    ) as readonly GraphEdge[],
  };
}

type PresentedIssue = Issue & Partial<Pick<LintIssue, 'severity' | 'suggestion'>>;

/** Properties of a result that lists only some of the issues. */
export const TRUNCATION = {
  truncated: Type.Literal(true),
  total: Type.Integer({ description: 'The number of all issues, if the list is truncated' }),
};

/** Adds the severity `error` to issues without one, which only prevent a run. */
export function presentIssues(issues: readonly PresentedIssue[]): readonly PresentedIssue[] {
  return issues.map(issue => ({ ...issue, severity: issue.severity ?? 'error' }));
}

export interface PriceResult {
  readonly price: GraphPrice | undefined;
  /** Why the graph cannot run. */
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

/** Returns the URL of the workflow's page. */
export const getWorkflowPageUrl = ({ settings }: Pick<Deps, 'settings'>, workflowId: string): string =>
  `${settings.BASE_URL}/flow/${workflowId}`;

const RENDERER_TYPE = 'video:renderer';

export const RENDERER = {
  nodeType: RENDERER_TYPE,
  note: 'Cannot be added, connected or changed here: clone a template that contains it (list_templates, clone_template).',
  /** Creates the error to throw; `path` is the location of the node in the arguments. */
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
