// Draws a laid-out graph as SVG: frames, edges, cards and notes on a dotted canvas. The SVG contains no scripts and
// loads nothing except the preview images.

import type { Catalog, ResolvedPorts } from '../catalog.ts';
import { getDims, getPortOffset } from '../dims.ts';
import { toPortId } from '../handles.ts';
import { isGroup, isNote } from '../layout/groups.ts';
import { getBoundingBox, type Rect } from '../rects.ts';
import type { Graph, GraphEdge, GraphNode } from '../types.ts';
import { type DrawnNode, drawGroup, drawNode, drawNote, getPortColor } from './node.ts';
import { escapeXml } from './text.ts';
import { createStyleSheet, FONT, type Theme } from './theme.ts';

export interface DrawOptions {
  /** `auto` (default) follows the reader's system. */
  readonly theme?: Theme | undefined;
  /** The title for screen readers. */
  readonly title?: string | undefined;
  /** URLs of preview images by node id. */
  readonly previews?: ReadonlyMap<string, string> | undefined;
}

const MARGIN = 60;
const EMPTY: Rect = { x: 0, y: 0, width: 400, height: 200 };

/** Returns an SVG document whose size in pixels is that of the graph plus a margin. */
export function drawGraph(graph: Graph, catalog: Catalog, options: DrawOptions = {}): string {
  const { theme = 'auto', title = 'Workflow graph', previews } = options;
  const drawnNodes = graph.nodes.map(node => ({
    ...toDrawnNode(node, catalog),
    preview: previews?.get(node.id),
  }));
  const byId = new Map(drawnNodes.map(drawn => [drawn.node.id, drawn]));
  const frames = drawnNodes.filter(({ node }) => isGroup(node, catalog));
  const notes = drawnNodes.filter(({ node }) => isNote(node, catalog));
  const cards = drawnNodes.filter(drawn => !frames.includes(drawn) && !notes.includes(drawn));
  // Outer frames are drawn first, so that inner frames appear on top.
  frames.sort((a, b) => b.rect.width * b.rect.height - a.rect.width * a.rect.height);
  const bounds = getBoundingBox(drawnNodes.map(({ rect }) => rect)) ?? EMPTY;
  const [x, y] = [Math.floor(bounds.x - MARGIN), Math.floor(bounds.y - MARGIN)];
  const [width, height] = [Math.ceil(bounds.width + 2 * MARGIN), Math.ceil(bounds.height + 2 * MARGIN)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" width="${width}" height="${height}" role="img" font-family="${escapeXml(FONT)}">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${createStyleSheet(theme)}</style>`,
    '<defs><pattern id="gw-dots" width="24" height="24" patternUnits="userSpaceOnUse"><circle class="gw-dot" cx="2" cy="2" r="1.2"/></pattern></defs>',
    `<rect class="gw-canvas" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
    `<rect fill="url(#gw-dots)" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
    ...frames.map(drawGroup),
    ...graph.edges.map(edge => drawEdge(edge, byId)),
    ...cards.map(drawNode),
    ...notes.map(drawNote),
    '</svg>',
  ].join('\n');
}

function toDrawnNode(node: GraphNode, catalog: Catalog): DrawnNode {
  const { width, height } = getDims(node, catalog);
  const entry = catalog.find(node.data.nodeType);
  const ports =
    entry === undefined ? listDeclaredPorts(node) : catalog.ports(node.data.nodeType, node.data.config ?? {});
  return { node, rect: { ...node.position, width, height }, entry, ports };
}

/** Returns the ports that a node of an unknown type declares in its own data. */
function listDeclaredPorts({ data }: GraphNode): ResolvedPorts {
  const toDefs = (ports: GraphNode['data']['inputs']): ResolvedPorts['outputs'] =>
    (ports ?? []).map(({ id, label }) => ({ id, label: String(label ?? id), type: 'ANY', isPort: true }));
  return { inputs: toDefs(data.inputs), outputs: toDefs(data.outputs) };
}

/** Draws a curve that leaves and enters the ports horizontally, dashed if it runs backwards. */
function drawEdge(edge: GraphEdge, byId: ReadonlyMap<string, DrawnNode>): string {
  const [source, target] = [byId.get(edge.source), byId.get(edge.target)];
  if (source === undefined || target === undefined) return '';
  const output = findPort(source.ports.outputs, edge.sourceHandle);
  const input = findPort(target.ports.inputs, edge.targetHandle);
  const fromX = source.rect.x + source.rect.width;
  const fromY = source.rect.y + Math.min(getPortOffset(output.index), source.rect.height);
  const toX = target.rect.x;
  const toY = target.rect.y + Math.min(getPortOffset(input.index), target.rect.height);
  const isBackward = toX < fromX;
  const bend = isBackward ? 120 : Math.min(240, Math.max(40, (toX - fromX) / 2));
  const curve = `M${fromX} ${fromY}C${fromX + bend} ${fromY} ${toX - bend} ${toY} ${toX} ${toY}`;
  const dashes = isBackward ? ' stroke-dasharray="7 5"' : '';
  return `<path class="gw-halo" d="${curve}"/><path d="${curve}" fill="none" stroke="${getPortColor(output.type)}" stroke-width="2" stroke-opacity=".85"${dashes}/>`;
}

function findPort(
  defs: ResolvedPorts['inputs' | 'outputs'],
  handle: string | null | undefined,
): { readonly index: number; readonly type: string } {
  const ports = defs.filter(({ isPort }) => isPort);
  const name = toPortId(handle ?? '');
  const position = ports.findIndex(({ id }) => id === name);
  const index = Math.max(0, position);
  return { index, type: ports[index]?.type ?? 'ANY' };
}
