// Determines the size of a node: the rendered size, the size set by resizing, or an estimate.
import { getChangedSettings, getMainFields, isMultilineField } from './card-fields.ts';
import type { Catalog, InputDef } from './catalog.ts';
import type { Dims, GraphNode } from './types.ts';

/** Sizes of a standard node's parts in canvas pixels, matching the editor's style sheet. */
export const NODE_BOX = {
  width: 260,
  wideWidth: 320,
  header: 44,
  portRow: 28,
  fieldRow: 52,
  textAreaRow: 96,
  /** The label above a field. A field that is also a port has no label, because the port shows it. */
  fieldLabel: 17,
  chips: 30,
  preview: 180,
  padding: 12,
} as const;

const MIN_SIZE = 8;
const MAX_SIZE = 20_000;
/** Default sizes of nodes that exist only on the canvas and never run. */
const CANVAS_ONLY_SIZES: Readonly<Record<string, readonly [width: number, height: number]>> = {
  groupFrame: [400, 300],
  stickyNote: [240, 160],
};

/** Returns the size in canvas pixels: measured, else declared in `style`, else estimated. The size is never empty. */
export function getDims(node: GraphNode, catalog: Catalog): Dims {
  const measuredSize = readSize(node.measured);
  if (measuredSize !== undefined) return { ...measuredSize, source: 'measured' };
  const declaredSize = readSize(node.style);
  if (declaredSize !== undefined) return { ...declaredSize, source: 'declared' };
  return { ...estimateSize(node, catalog), source: 'estimated' };
}

/** Returns the y of the nth port's center below the top of its node: a header, then one row per port. */
export function getPortOffset(index: number): number {
  return NODE_BOX.header + NODE_BOX.portRow * (index + 0.5);
}

function estimateSize(node: GraphNode, catalog: Catalog): Pick<Dims, 'width' | 'height'> {
  const entry = catalog.find(node.data.nodeType);
  const canvasOnlySize = CANVAS_ONLY_SIZES[entry?.customNodeType ?? node.type];
  if (canvasOnlySize !== undefined) return { width: canvasOnlySize[0], height: canvasOnlySize[1] };
  const { inputs, outputs } = catalog.ports(node.data.nodeType, node.data.config ?? {});
  const portRowCount = Math.max(countPorts(inputs), countPorts(outputs), 1);
  const fields = getMainFields(inputs);
  const hasChips = getChangedSettings(node.data, inputs, fields).length > 0;
  const hasPreview =
    outputs.some(({ type }) => type === 'IMAGE' || type === 'VIDEO') || entry?.category === 'output';
  return {
    width: hasPreview ? NODE_BOX.wideWidth : NODE_BOX.width,
    height:
      NODE_BOX.header +
      portRowCount * NODE_BOX.portRow +
      fields.reduce((sum, field) => sum + getFieldHeight(field), 0) +
      (hasChips ? NODE_BOX.chips : 0) +
      (hasPreview ? NODE_BOX.preview : 0) +
      NODE_BOX.padding,
  };
}

function countPorts(ports: readonly { readonly isPort: boolean }[]): number {
  return ports.filter(({ isPort }) => isPort).length;
}

/** Returns the height of a field on the card, including its label. */
export function getFieldHeight(field: InputDef): number {
  const isTall = isMultilineField(field) || field.type === 'JSON' || field.type === 'LIST';
  const height = isTall ? NODE_BOX.textAreaRow : NODE_BOX.fieldRow;
  return field.isPort ? height - NODE_BOX.fieldLabel : height;
}

/**
 * Reads width and height as React Flow stores them: numbers, or texts such as "320px". Returns undefined unless both
 * are valid.
 */
function readSize(value: unknown): Pick<Dims, 'width' | 'height'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { width, height } = value as { readonly width?: unknown; readonly height?: unknown };
  const size = { width: readPixels(width), height: readPixels(height) };
  return size.width > 0 && size.height > 0 ? size : undefined;
}

/** Reads a number of pixels, clamped, or 0 if it is invalid. */
function readPixels(value: unknown): number {
  const pixels =
    typeof value === 'string' && /^\d{1,6}(?:\.\d+)?(?:px)?$/.test(value) ? Number.parseFloat(value) : value;
  return typeof pixels === 'number' && pixels >= MIN_SIZE && pixels <= MAX_SIZE ? pixels : 0;
}
