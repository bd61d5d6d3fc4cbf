// Runs ELK, dagre and d3-dag on the same graphs with the same gaps. `npm ci --prefix bench` installs them.
import { createRequire } from 'node:module';
import { getPortOffset } from '../src/graph/dims.ts';
import type { Position } from '../src/graph/types.ts';
import type { BenchGraph } from './layout-graphs.ts';

export type Engine = (graph: BenchGraph) => Position[] | Promise<Position[]>;

const ROW_GAP = 60;
const COLUMN_GAP = 120;

// Declares only what is used here, because the packages and their types are installed separately.
interface Elk {
  layout(graph: object): Promise<{ readonly children: readonly Position[] }>;
}
interface Dagre {
  readonly graphlib: { readonly Graph: new (options: object) => DagreGraph };
  layout(graph: DagreGraph, options?: object): void;
}
interface DagreGraph {
  setGraph(options: object): void;
  setNode(id: string, node: object): void;
  setEdge(from: string, to: string, edge: object, name: string): void;
  node(id: string): Position;
}
interface D3Dag {
  graphConnect(): { single(isSingle: boolean): (links: readonly (readonly string[])[]) => D3Graph };
  sugiyama(): Chain & ((graph: D3Graph) => void);
  layeringSimplex(): unknown;
  decrossTwoLayer(): unknown;
  coordSimplex(): unknown;
  coordGreedy(): unknown;
}
type Chain = {
  readonly [step in 'layering' | 'decross' | 'coord' | 'nodeSize' | 'gap']: (value: unknown) => Chain;
};
interface D3Graph {
  nodes(): Iterable<Position & { readonly data: string }>;
}

/** Returns the engines by name. Throws an error with the install command if they are not installed. */
export function loadPeers(): Readonly<Record<string, Engine>> {
  const require = createRequire(import.meta.url);
  try {
    const ElkClass = require('elkjs/lib/elk.bundled.js') as new () => Elk;
    const d3 = require('d3-dag') as D3Dag;
    return {
      'ELK layered': createElkEngine(new ElkClass()),
      dagre: createDagreEngine(require('@dagrejs/dagre') as Dagre),
      'd3-dag': createD3Engine(d3, 'coordSimplex'),
      'd3-dag greedy': createD3Engine(d3, 'coordGreedy'),
    };
  } catch (cause) {
    throw new Error('The peers are not installed. Run `npm ci --prefix bench` first.', { cause });
  }
}

type Side = 'EAST' | 'WEST';

function createElkEngine(elk: Elk): Engine {
  return async ({ sizes, wires }) => {
    const getPortId = (node: number, side: Side, index: number): string => `${node}${side}${index}`;
    const usedPorts = sizes.map((): Map<string, object> => new Map());
    const addPort = (node: number, side: Side, index: number): void => {
      const id = getPortId(node, side, index);
      usedPorts[node]?.set(id, {
        id,
        x: side === 'EAST' ? sizes[node]?.width : 0,
        y: getPortOffset(index),
        layoutOptions: { 'port.side': side },
      });
    };
    for (const { from, to, fromPort, toPort } of wires) {
      addPort(from, 'EAST', fromPort);
      addPort(to, 'WEST', toPort);
    }
    const { children } = await elk.layout({
      id: 'root',
      layoutOptions: {
        'elk.algorithm': 'layered',
        'elk.direction': 'RIGHT',
        'elk.spacing.nodeNode': `${ROW_GAP}`,
        'elk.layered.spacing.nodeNodeBetweenLayers': `${COLUMN_GAP}`,
      },
      children: sizes.map((size, index) => ({
        id: `${index}`,
        ...size,
        ports: [...(usedPorts[index]?.values() ?? [])],
        layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
      })),
      edges: wires.map(({ from, to, fromPort, toPort }, index) => ({
        id: `e${index}`,
        sources: [getPortId(from, 'EAST', fromPort)],
        targets: [getPortId(to, 'WEST', toPort)],
      })),
    });
    return children.map(({ x, y }) => ({ x, y }));
  };
}

function createDagreEngine(dagre: Dagre): Engine {
  return ({ sizes, wires }) => {
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: 'LR', nodesep: ROW_GAP, ranksep: COLUMN_GAP });
    for (const [index, size] of sizes.entries()) graph.setNode(`${index}`, { ...size });
    for (const [index, { from, to }] of wires.entries()) graph.setEdge(`${from}`, `${to}`, {}, `${index}`);
    dagre.layout(graph);
    return sizes.map(({ width, height }, index) => {
      const { x, y } = graph.node(`${index}`);
      return { x: x - width / 2, y: y - height / 2 };
    });
  };
}

/** d3-dag lays out downwards and connects two nodes at most once. */
function createD3Engine(d3: D3Dag, coord: 'coordSimplex' | 'coordGreedy'): Engine {
  return ({ sizes, wires }) => {
    const links = new Map(wires.map(({ from, to }) => [`${from} ${to}`, [`${from}`, `${to}`]]));
    const connectedNodes = new Set([...links.values()].flat());
    const isolatedNodes = sizes.flatMap((_, index) =>
      connectedNodes.has(`${index}`) ? [] : [[`${index}`, `${index}`]],
    );
    const graph = d3.graphConnect().single(true)([...links.values(), ...isolatedNodes]);
    const layout = d3
      .sugiyama()
      .layering(d3.layeringSimplex())
      .decross(d3.decrossTwoLayer())
      .coord(d3[coord]())
      .nodeSize(({ data }: { readonly data: string }) => [
        sizes[Number(data)]?.height,
        sizes[Number(data)]?.width,
      ])
      .gap([ROW_GAP, COLUMN_GAP]) as unknown as (graph: D3Graph) => void;
    layout(graph);
    const positions: Position[] = sizes.map(() => ({ x: 0, y: 0 }));
    for (const node of graph.nodes()) {
      const index = Number(node.data);
      const { width, height } = sizes[index] ?? { width: 0, height: 0 };
      positions[index] = { x: node.y - width / 2, y: node.x - height / 2 };
    }
    return positions;
  };
}
