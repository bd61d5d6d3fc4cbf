// How large a node is drawn: its rendered box, the size it was resized to, or an estimate from its ports and fields.
import type { Catalog, InputDef } from './catalog.ts';
import type { Dims, GraphNode } from './types.ts';

/** Canvas pixels of a standard node's parts, as the editor's style sheet has them. */
export const NODE_BOX = {
  width: 260,
  wideWidth: 320,
  header: 44,
  portRow: 28,
  fieldRow: 52,
  textAreaRow: 96,
  preview: 180,
  padding: 12,
} as const;

const MIN_SIZE = 8;
const MAX_SIZE = 20_000;
/** The settings that a card shows; the editor folds away the rest. */
export const MAX_FIELDS = 6;
/** Nodes of the canvas alone, before anybody resizes them. */
const SHELL_SIZES: Readonly<Record<string, readonly [width: number, height: number]>> = {
  groupFrame: [400, 300],
  stickyNote: [240, 160],
};
const TEXT_AREAS = new Set(['prompt', 'text', 'template', 'value', 'message', 'negative_prompt']);

/** The size in canvas pixels: `measured` over `declared` (style) over `estimated`; always finite and positive. */
export function estimateDims(node: GraphNode, catalog: Catalog): Dims {
  const measured = readSize(node.measured);
  if (measured !== undefined) return { ...measured, source: 'measured' };
  const declared = readSize(node.style);
  if (declared !== undefined) return { ...declared, source: 'declared' };
  return { ...estimate(node, catalog), source: 'estimated' };
}

/** The y of the nth port's middle below the top of its node: header first, then a row a port. */
export function portOffset(index: number): number {
  return NODE_BOX.header + NODE_BOX.portRow * (index + 0.5);
}

function estimate(node: GraphNode, catalog: Catalog): Pick<Dims, 'width' | 'height'> {
  const entry = catalog.find(node.data.nodeType);
  const shell = SHELL_SIZES[entry?.customNodeType ?? node.type];
  if (shell !== undefined) return { width: shell[0], height: shell[1] };
  const { inputs, outputs } = catalog.ports(node.data.nodeType, node.data.config ?? {});
  const ports = Math.max(countPorts(inputs), countPorts(outputs), 1);
  const fields = inputs.filter(input => !input.isPort).slice(0, MAX_FIELDS);
  const hasPreview =
    outputs.some(({ type }) => type === 'IMAGE' || type === 'VIDEO') || entry?.category === 'output';
  const rows = fields.reduce((sum, field) => sum + fieldHeight(field), 0);
  return {
    width: hasPreview ? NODE_BOX.wideWidth : NODE_BOX.width,
    height:
      NODE_BOX.header +
      ports * NODE_BOX.portRow +
      rows +
      (hasPreview ? NODE_BOX.preview : 0) +
      NODE_BOX.padding,
  };
}

function countPorts(ports: readonly { readonly isPort: boolean }[]): number {
  return ports.filter(({ isPort }) => isPort).length;
}

/** The height of a setting in the card: more for what is written in several lines. */
export function fieldHeight(field: InputDef): number {
  const isLong = field.type === 'JSON' || (TEXT_AREAS.has(field.id) && field.enum === undefined);
  return isLong ? NODE_BOX.textAreaRow : NODE_BOX.fieldRow;
}

/** A width and height as React Flow keeps them: numbers, or texts such as "320px"; undefined unless both are usable. */
function readSize(value: unknown): Pick<Dims, 'width' | 'height'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { width, height } = value as { readonly width?: unknown; readonly height?: unknown };
  const size = { width: readPixels(width), height: readPixels(height) };
  return size.width > 0 && size.height > 0 ? size : undefined;
}

/** Pixels within bounds, or 0. */
function readPixels(value: unknown): number {
  const pixels =
    typeof value === 'string' && /^\d{1,6}(?:\.\d+)?(?:px)?$/.test(value) ? Number.parseFloat(value) : value;
  return typeof pixels === 'number' && pixels >= MIN_SIZE && pixels <= MAX_SIZE ? pixels : 0;
}
