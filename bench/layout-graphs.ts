// Generates graphs with fixed ports for the layout benchmarks, and measures the quality of a layout.
import type { Catalog, CatalogEntry } from '../src/graph/catalog.ts';
import { getPortOffset } from '../src/graph/dims.ts';
import type { Graph, GraphEdge, GraphNode, Position } from '../src/graph/types.ts';
import { createSeededRandom } from '../src/lib/seeded-random.ts';

const MAX_PORTS = 4;
/** The maximum distance of connected nodes in the list. A node's sources are usually created shortly before the node. */
const MAX_DISTANCE = 40;

/** An edge between the nodes with these indexes. */
export interface Wire {
  readonly from: number;
  readonly to: number;
  readonly fromPort: number;
  readonly toPort: number;
}

export interface BenchGraph {
  readonly graph: Graph;
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  readonly wires: readonly Wire[];
}

/** The quality of a layout. Edges are straight lines from port to port, without the bends that an engine may add. */
export interface LayoutQuality {
  readonly crossings: number;
  readonly areaMpx: number;
  readonly lengthKpx: number;
  /** The number of crossings of an edge, drawn as a curve, with a node that it does not connect. */
  readonly edgesOverNodes: number;
  readonly nodeOverlaps: number;
  readonly backwardEdges: number;
}

const createPorts = (prefix: string): CatalogEntry['outputs'] =>
  Array.from({ length: MAX_PORTS }, (_, index) => ({
    id: `${prefix}${index}`,
    label: `${prefix}${index}`,
    type: 'TEXT' as const,
    isPort: true,
  }));

const ENTRY: CatalogEntry = {
  nodeType: 'bench:node',
  label: 'Node',
  category: 'utility',
  source: 'non-vendor',
  inputs: createPorts('i'),
  outputs: createPorts('o'),
  executionCost: 'free',
  pricingModel: 'free',
  estimatedCredits: 0,
};

export const CATALOG: Catalog = { entries: [ENTRY], find: () => ENTRY, ports: () => ENTRY };

/** Creates an acyclic graph without duplicate edges, in which every node but the first has a source. */
export function makeGraph(nodeCount: number, edgeCount: number, seed: number): BenchGraph {
  const random = createSeededRandom(seed * 7919 + nodeCount);
  const randomBelow = (limit: number): number => Math.floor(random() * limit);
  const sizes = Array.from({ length: nodeCount }, () => ({
    width: 240 + 40 * randomBelow(3),
    height: 160 + 40 * randomBelow(5),
  }));
  const wires: Wire[] = [];
  const usedPairs = new Set<string>();
  const addWire = (to: number): void => {
    const from = to - 1 - randomBelow(Math.min(to, MAX_DISTANCE));
    const wire = { from, to, fromPort: randomBelow(2), toPort: randomBelow(MAX_PORTS) };
    const key = JSON.stringify(wire);
    if (!usedPairs.has(key)) wires.push(wire);
    usedPairs.add(key);
  };
  for (let to = 1; to < nodeCount && wires.length < edgeCount; to++) addWire(to);
  while (wires.length < edgeCount) addWire(1 + randomBelow(nodeCount - 1));
  return { graph: toGraph(sizes, wires), sizes, wires };
}

function toGraph(sizes: BenchGraph['sizes'], wires: readonly Wire[]): Graph {
  const nodes = sizes.map(
    (measured, index): GraphNode => ({
      id: `n${index}`,
      type: 'basedNode',
      position: { x: 0, y: 0 },
      measured,
      data: { label: `Node ${index}`, category: 'utility', nodeType: ENTRY.nodeType },
    }),
  );
  const edges = wires.map(
    ({ from, to, fromPort, toPort }, index): GraphEdge => ({
      id: `e${index}`,
      source: `n${from}`,
      target: `n${to}`,
      sourceHandle: `out-o${fromPort}`,
      targetHandle: `in-i${toPort}`,
    }),
  );
  return { nodes, edges };
}

interface Line {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export function measureLayout({ sizes, wires }: BenchGraph, positions: readonly Position[]): LayoutQuality {
  const rects = sizes.map((size, index) => ({ ...size, ...(positions[index] ?? { x: 0, y: 0 }) }));
  const getRect = (index: number): Position & { width: number; height: number } =>
    rects[index] ?? { x: 0, y: 0, width: 0, height: 0 };
  const lines = wires.map(
    ({ from, to, fromPort, toPort }): Line => ({
      x1: getRect(from).x + getRect(from).width,
      y1: getRect(from).y + getPortOffset(fromPort),
      x2: getRect(to).x,
      y2: getRect(to).y + getPortOffset(toPort),
    }),
  );
  const right = Math.max(...rects.map(({ x, width }) => x + width));
  const bottom = Math.max(...rects.map(({ y, height }) => y + height));
  const width = right - Math.min(...rects.map(({ x }) => x));
  const height = bottom - Math.min(...rects.map(({ y }) => y));
  const countPairs = <T>(list: readonly T[], predicate: (a: T, b: T) => boolean): number =>
    list.reduce((sum, a, index) => sum + list.slice(index + 1).filter(b => predicate(a, b)).length, 0);
  const edgesOverNodes = wires.reduce((sum, { from, to }, index) => {
    const line = lines[index];
    const crossedRects = rects.filter(
      (rect, node) => node !== from && node !== to && line && crossesRect(line, rect),
    );
    return sum + crossedRects.length;
  }, 0);
  return {
    crossings: countPairs(lines, areCrossing),
    areaMpx: (width * height) / 1e6,
    lengthKpx: lines.reduce((sum, { x1, y1, x2, y2 }) => sum + Math.hypot(x2 - x1, y2 - y1), 0) / 1000,
    edgesOverNodes,
    nodeOverlaps: countPairs(
      rects,
      (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
    ),
    backwardEdges: lines.filter(({ x1, x2 }) => x2 < x1).length,
  };
}

function areCrossing(a: Line, b: Line): boolean {
  const side = (line: Line, x: number, y: number): number =>
    Math.sign((line.x2 - line.x1) * (y - line.y1) - (line.y2 - line.y1) * (x - line.x1));
  return side(a, b.x1, b.y1) * side(a, b.x2, b.y2) < 0 && side(b, a.x1, a.y1) * side(b, a.x2, a.y2) < 0;
}

const CURVE_STEPS = 100;

/** Returns whether the curve from one end of the line to the other passes through the rectangle. */
function crossesRect(
  { x1, y1, x2, y2 }: Line,
  rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): boolean {
  for (let step = 0; step <= CURVE_STEPS; step++) {
    const t = step / CURVE_STEPS;
    const x = x1 + (x2 - x1) * (1.5 * t - 1.5 * t ** 2 + t ** 3) - rect.x;
    const y = y1 + (y2 - y1) * (3 * t ** 2 - 2 * t ** 3) - rect.y;
    if (x > 0 && x < rect.width && y > 0 && y < rect.height) return true;
  }
  return false;
}
