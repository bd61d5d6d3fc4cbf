// Writes the parts of a graph as short texts: nodes without positions and ports, edges as "a.text -> b.prompt". Rejects
// changes of video:renderer nodes, which have a scene.
import type { Catalog } from '../../graph/catalog.ts';
import { getTypeDefaults } from '../../graph/complete.ts';
import { type EdgeEnds, type PortSide, toHandle, toPortId } from '../../graph/handles.ts';
import type { GraphNode, JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';

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
    ...(source.port === undefined ? {} : { sourceHandle: toHandle('out', toPortId(source.port, 'out')) }),
    ...(target.port === undefined ? {} : { targetHandle: toHandle('in', toPortId(target.port, 'in')) }),
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

const toPort = (handle: string | null | undefined, side: PortSide): string | undefined =>
  handle == null ? undefined : toPortId(handle, side);

export function formatEdge({ source, target, sourceHandle, targetHandle }: EdgeEnds): string {
  const start = formatEnd({ nodeId: source, port: toPort(sourceHandle, 'out') });
  const end = formatEnd({ nodeId: target, port: toPort(targetHandle, 'in') });
  return `${start} -> ${end}`;
}

const RENDERER_TYPE = 'video:renderer';

export const RENDERER = {
  nodeType: RENDERER_TYPE,
  note: 'Cannot be added, connected or changed here: clone a template that contains it (list_templates, clone_template).',
  /** `path` is the location of the node in the arguments. */
  createError(path: string, nodeId?: string): AppError {
    const message = 'cannot be added, connected or changed here';
    return new AppError(
      'field_not_writable',
      `A ${RENDERER_TYPE} ${message}: clone a template that contains it, and change the nodes that feed it.`,
      {
        issues: [{ path, ...(nodeId === undefined ? {} : { nodeId }), code: 'field_not_writable', message }],
      },
    );
  },
} as const;
