// Determines the size of a node: its rendered box, the size it was resized to, or an estimate from its ports and
// fields.
import type { Catalog, InputDef } from './catalog.ts';
import { isComponentCall } from './components/calls.ts';
import { type Dims, type GraphNode, type JsonObject, type NodeData, toObject } from './types.ts';

/** Sizes of a standard node's parts in canvas pixels, matching the editor's style sheet. */
export const NODE_BOX = {
  width: 260,
  wideWidth: 320,
  header: 44,
  portRow: 28,
  fieldRow: 52,
  textAreaRow: 96,
  /** The label of a field, which fields of a port do not repeat. */
  fieldLabel: 17,
  chips: 30,
  preview: 180,
  padding: 12,
} as const;

const MIN_SIZE = 8;
const MAX_SIZE = 20_000;
/** The maximum number of fields on a card. The editor's inspector displays all. */
const MAX_FIELDS = 3;
/** Default sizes of canvas-only nodes. */
const CANVAS_ONLY_SIZES: Readonly<Record<string, readonly [width: number, height: number]>> = {
  groupFrame: [400, 300],
  stickyNote: [240, 160],
};
const MULTILINE_FIELD_IDS = new Set(['prompt', 'text', 'template', 'value', 'message', 'negative_prompt']);

/**
 * Returns the size in canvas pixels: measured, else declared in `style`, else estimated. Always finite and positive.
 */
export function getDims(node: GraphNode, catalog: Catalog): Dims {
  const measured = readSize(node.measured);
  if (measured !== undefined) return { ...measured, source: 'measured' };
  const declared = readSize(node.style);
  if (declared !== undefined) return { ...declared, source: 'declared' };
  return { ...estimateSize(node, catalog), source: 'estimated' };
}

/** Returns the y of the nth port's center below the top of its node: a header, then one row per port. */
export function getPortOffset(index: number): number {
  return NODE_BOX.header + NODE_BOX.portRow * (index + 0.5);
}

function estimateSize(node: GraphNode, catalog: Catalog): Pick<Dims, 'width' | 'height'> {
  const entry = catalog.find(node.data.nodeType);
  const shell = CANVAS_ONLY_SIZES[entry?.customNodeType ?? node.type];
  if (shell !== undefined) return { width: shell[0], height: shell[1] };
  const { inputs, outputs } = catalog.ports(node.data.nodeType, node.data.config ?? {});
  const ports = Math.max(countPorts(inputs), countPorts(outputs), 1);
  const fields = getMainFields(inputs);
  const hasPreview =
    outputs.some(({ type }) => type === 'IMAGE' || type === 'VIDEO') || entry?.category === 'output';
  const rows = fields.reduce((sum, field) => sum + getFieldHeight(field), 0);
  return {
    width: hasPreview ? NODE_BOX.wideWidth : NODE_BOX.width,
    height:
      NODE_BOX.header +
      ports * NODE_BOX.portRow +
      rows +
      (getChangedSettings(node.data, inputs, fields).length > 0 ? NODE_BOX.chips : 0) +
      (hasPreview ? NODE_BOX.preview : 0) +
      NODE_BOX.padding,
  };
}

function countPorts(ports: readonly { readonly isPort: boolean }[]): number {
  return ports.filter(({ isPort }) => isPort).length;
}

/** Returns the fields on a node itself: its primary ones, or else its first text field. */
export function getMainFields(inputs: readonly InputDef[]): readonly InputDef[] {
  const primary = inputs.filter(({ isPrimary, removed }) => isPrimary === true && removed !== true);
  const fields = primary.length > 0 ? primary : inputs.filter(isMultilineField).slice(0, 1);
  return fields.slice(0, MAX_FIELDS);
}

/** Returns the settings of a node by the id of their input: its config, or the values that a call gives its component. */
export function getSettings(data: NodeData): JsonObject {
  const { config = {} } = data;
  return isComponentCall({ data }) ? (toObject(config.values) as JsonObject) : config;
}

/** Returns the settings that differ from their default and have no field on the node. */
export function getChangedSettings(
  data: NodeData,
  inputs: readonly InputDef[],
  fields: readonly InputDef[],
): readonly InputDef[] {
  const config = getSettings(data);
  if (isComponentCall({ data }))
    return inputs.filter(({ id, isPort }) => isPort && Object.hasOwn(config, id));
  return inputs.filter(
    input =>
      config[input.id] !== undefined &&
      config[input.id] !== input.default &&
      !input.isPort &&
      input.removed !== true &&
      !fields.includes(input),
  );
}

/** Returns the height of a field on the card; multi-line fields take more, and those of a port repeat no label. */
export function getFieldHeight(field: InputDef): number {
  const isTall = isMultilineField(field) || field.type === 'JSON' || field.type === 'LIST';
  const height = isTall ? NODE_BOX.textAreaRow : NODE_BOX.fieldRow;
  return field.isPort ? height - NODE_BOX.fieldLabel : height;
}

export const isMultilineField = ({ id, type, enum: values, wiredOnly, removed }: InputDef): boolean =>
  type === 'TEXT' &&
  MULTILINE_FIELD_IDS.has(id) &&
  values === undefined &&
  wiredOnly !== true &&
  removed !== true;

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
