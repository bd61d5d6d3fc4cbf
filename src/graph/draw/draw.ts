// Draws a laid-out graph as SVG: frames, edges, cards and notes on a dotted canvas. Pure; the SVG contains no script
// and loads only the given pictures.
import type { Catalog, ResolvedPorts } from '../catalog.ts';
import { estimateDims, portOffset } from '../dims.ts';
import { isGroup, isNote } from '../layout/groups.ts';
import { around, type Rect } from '../rects.ts';
import type { Graph, GraphEdge, GraphNode } from '../types.ts';
import { drawFrame, drawNode, drawNote, portColor, type Sketch } from './node.ts';
import { escapeXml } from './text.ts';
import { FONT, styleSheet, type Theme } from './theme.ts';

export interface DrawOptions {
  /** `auto` (default) follows the reader's system. */
  readonly theme?: Theme | undefined;
  /** The title for people who cannot see the picture. */
  readonly title?: string | undefined;
  /** URLs of pictures by the id of the node that shows them. */
  readonly pictures?: ReadonlyMap<string, string> | undefined;
}

const MARGIN = 60;
const EMPTY: Rect = { x: 0, y: 0, width: 400, height: 200 };

/** Returns an SVG document whose size in pixels is that of the graph plus a margin. */
export function drawGraph(graph: Graph, catalog: Catalog, options: DrawOptions = {}): string {
  const { theme = 'auto', title = 'Workflow graph', pictures } = options;
  const sketches = graph.nodes.map(node => ({ ...sketch(node, catalog), picture: pictures?.get(node.id) }));
  const byId = new Map(sketches.map(it => [it.node.id, it]));
  const frames = sketches.filter(({ node }) => isGroup(node, catalog));
  const notes = sketches.filter(({ node }) => isNote(node, catalog));
  const cards = sketches.filter(it => !frames.includes(it) && !notes.includes(it));
  // Outer frames first, so that inner ones are drawn over them.
  frames.sort((a, b) => b.rect.width * b.rect.height - a.rect.width * a.rect.height);
  const inner = around(sketches.map(({ rect }) => rect)) ?? EMPTY;
  const [x, y] = [Math.floor(inner.x - MARGIN), Math.floor(inner.y - MARGIN)];
  const [width, height] = [Math.ceil(inner.width + 2 * MARGIN), Math.ceil(inner.height + 2 * MARGIN)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" width="${width}" height="${height}" role="img" font-family="${escapeXml(FONT)}">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${styleSheet(theme)}</style>`,
    '<defs><pattern id="gw-dots" width="24" height="24" patternUnits="userSpaceOnUse"><circle class="gw-dot" cx="2" cy="2" r="1.2"/></pattern></defs>',
    `<rect class="gw-canvas" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
    `<rect fill="url(#gw-dots)" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
    ...frames.map(drawFrame),
    ...graph.edges.map(edge => drawEdge(edge, byId)),
    ...cards.map(drawNode),
    ...notes.map(drawNote),
    '</svg>',
  ].join('\n');
}

function sketch(node: GraphNode, catalog: Catalog): Sketch {
  const { width, height } = estimateDims(node, catalog);
  const entry = catalog.find(node.data.nodeType);
  const ports =
    entry === undefined ? ownPorts(node) : catalog.ports(node.data.nodeType, node.data.config ?? {});
  return { node, rect: { ...node.position, width, height }, entry, ports };
}

/** The ports that a node of an unknown type declares itself. */
function ownPorts({ data }: GraphNode): ResolvedPorts {
  const read = (ports: GraphNode['data']['inputs']): ResolvedPorts['outputs'] =>
    (ports ?? []).map(({ id, label }) => ({ id, label: String(label ?? id), type: 'ANY', isPort: true }));
  return { inputs: read(data.inputs), outputs: read(data.outputs) };
}

/** A curve between ports that leaves and arrives horizontally; dashed if it runs backwards. */
function drawEdge(edge: GraphEdge, byId: ReadonlyMap<string, Sketch>): string {
  const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
  if (source === undefined || target === undefined) return '';
  const output = findPort(source.ports.outputs, edge.sourceHandle);
  const input = findPort(target.ports.inputs, edge.targetHandle);
  const fromX = source.rect.x + source.rect.width;
  const fromY = source.rect.y + Math.min(portOffset(output.index), source.rect.height);
  const toX = target.rect.x;
  const toY = target.rect.y + Math.min(portOffset(input.index), target.rect.height);
  const isBackward = toX < fromX;
  const reach = isBackward ? 120 : Math.min(240, Math.max(40, (toX - fromX) / 2));
  const curve = `M${fromX} ${fromY}C${fromX + reach} ${fromY} ${toX - reach} ${toY} ${toX} ${toY}`;
  const dashes = isBackward ? ' stroke-dasharray="7 5"' : '';
  return `<path class="gw-halo" d="${curve}"/><path d="${curve}" fill="none" stroke="${portColor(output.type)}" stroke-width="2" stroke-opacity=".85"${dashes}/>`;
}

function findPort(
  ports: ResolvedPorts['inputs' | 'outputs'],
  handle: string | null | undefined,
): { readonly index: number; readonly type: string } {
  const wireable = ports.filter(({ isPort }) => isPort);
  const name = (handle ?? '').replace(/^(?:in|out)-/, '');
  const found = wireable.findIndex(({ id }) => id === name);
  const index = Math.max(0, found);
  return { index, type: wireable[index]?.type ?? 'ANY' };
}
