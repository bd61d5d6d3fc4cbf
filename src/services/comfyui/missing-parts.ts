// Finds the nodes whose ComfyUI graph no server of the pool can run.
import { listNeeds, type ServerNeeds } from '../../graph/comfyui/choose-server.ts';
import { readConfigGraph } from '../../graph/comfyui/config-graph.ts';
import { getComfyInputs } from '../../graph/comfyui/ports.ts';
import { selectRunnable } from '../../graph/comfyui/runnable.ts';
import { isObject, type JsonObject } from '../../graph/types.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { comfyNodeTypes } from '../../nodes/comfyui/node-types.ts';
import type { Tx } from '../../store/db.ts';
import type { Deps } from '../deps.ts';
import { describeMissing, findMissingOnAll, listPoolMembers, type MissingOnServer } from './pool-servers.ts';

/** A node with its config, and the ports that connections set. */
export interface ComfyNode {
  readonly id: string;
  readonly nodeType: string;
  readonly config: JsonObject;
  readonly connectedPorts: ReadonlySet<string>;
}

export interface MissingParts {
  readonly nodeId: string;
  /** A sentence with the same facts. */
  readonly message: string;
  readonly missing: readonly MissingOnServer[];
}

/** The older nodes have their graph in another field. */
const GRAPH_FIELDS: Readonly<Record<string, string>> = {
  'comfyui:workflow': 'graph',
  'generate:comfyui': 'workflow',
  'video:comfyui': 'workflow',
};

export const isComfyNode = (nodeType: string): boolean => Object.hasOwn(GRAPH_FIELDS, nodeType);

/** Returns the nodes that no server of the pool can run. Servers that are down or draining count as if they were up. */
export async function findMissingParts(
  deps: Pick<Deps, 'settings'>,
  tx: Tx,
  pool: string | null,
  nodes: readonly ComfyNode[],
): Promise<readonly MissingParts[]> {
  if (pool === null || nodes.length === 0) return [];
  const members = await listPoolMembers(deps, tx, pool);
  const parts: MissingParts[] = [];
  for (const node of nodes) {
    const missing = findMissingOnAll(readNeeds(node), members);
    if (missing !== undefined) parts.push({ nodeId: node.id, message: describeMissing(missing), missing });
    await yieldTurn();
  }
  return parts;
}

/** Returns the needs of the node, without files that connections choose. */
function readNeeds({ nodeType, config, connectedPorts }: ComfyNode): ServerNeeds {
  const { graph } = readConfigGraph(config[GRAPH_FIELDS[nodeType] ?? '']);
  if (nodeType !== 'comfyui:workflow') return listNeeds(graph);
  const { graph: runnable } = selectRunnable(graph, comfyNodeTypes);
  const nodes: Record<string, { class_type: string; inputs: Record<string, unknown> }> = {};
  for (const [id, { class_type, inputs }] of Object.entries(runnable))
    nodes[id] = { class_type, inputs: { ...inputs } };
  for (const { id, node, input } of getComfyInputs(config)) {
    const target = Object.hasOwn(nodes, node) ? nodes[node] : undefined;
    if (target === undefined) continue;
    if (connectedPorts.has(id)) delete target.inputs[input];
    else if (config[id] !== undefined && config[id] !== null) target.inputs[input] = config[id];
  }
  return listNeeds(nodes);
}

/** Lists the ComfyUI nodes of a graph. `text` is the graph: '"nodes":[…],"edges":[…]'. */
export function listComfyNodes(text: string): readonly ComfyNode[] {
  if (!Object.keys(GRAPH_FIELDS).some(nodeType => text.includes(`"${nodeType}"`))) return [];
  const graph = JSON.parse(`{${text}}`) as {
    readonly nodes: readonly {
      readonly id: string;
      readonly data: { readonly nodeType: string; readonly config?: unknown };
    }[];
    readonly edges: readonly { readonly target: string; readonly targetHandle?: string | null }[];
  };
  const ports = new Map<string, Set<string>>();
  for (const { target, targetHandle } of graph.edges)
    ports.set(target, (ports.get(target) ?? new Set<string>()).add(targetHandle ?? ''));
  return graph.nodes
    .filter(({ data }) => isComfyNode(data.nodeType))
    .map(({ id, data: { nodeType, config } }) => ({
      id,
      nodeType,
      config: (isObject(config) ? config : {}) as JsonObject,
      connectedPorts: ports.get(id) ?? new Set<string>(),
    }));
}
