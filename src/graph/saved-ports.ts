// Writes the ports that some node types derive from their config into the node when it is saved.
import type { Catalog, InputDef, OutputDef } from './catalog.ts';
import type { Graph, GraphNode, Port } from './types.ts';

/** Sets `data.inputs` and `data.outputs` of nodes whose ports are saved. Other nodes stay the same objects. */
export function withSavedPorts(graph: Graph, catalog: Catalog): Graph {
  const nodes = graph.nodes.map(node => writePorts(node, catalog));
  return nodes.every((node, index) => node === graph.nodes[index]) ? graph : { ...graph, nodes };
}

function writePorts(node: GraphNode, catalog: Catalog): GraphNode {
  const { nodeType, config = {} } = node.data;
  if (catalog.find(nodeType)?.dynamicPorts !== true) return node;
  const { inputs, outputs, isSaved } = catalog.ports(nodeType, config);
  if (isSaved !== true) return node;
  return { ...node, data: { ...node.data, inputs: toPorts(inputs), outputs: toPorts(outputs) } };
}

function toPorts(defs: readonly (InputDef | OutputDef)[]): readonly Port[] {
  return defs.filter(({ isPort }) => isPort).map(({ id, label, type }) => ({ id, label, type }));
}
