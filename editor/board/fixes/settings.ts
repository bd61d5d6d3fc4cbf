// Defines fixes for issues of a node's config: unknown keys and invalid values.
import type { InputDef } from '../../../src/graph/catalog.ts';
import { findListProblem, findNumberProblem } from '../../../src/graph/fields.ts';
import { normalizeConfig } from '../../../src/graph/normalize.ts';
import type { GraphNode, Json, JsonObject } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import type { Board, Change } from '../board.ts';
import { portsOf } from '../catalog.ts';
import { replaceNodes, setConfig } from '../edits.ts';
import { change, type FindFix, type Fix, type FixContext, lastSegment, nodeOf } from './fix.ts';

const texts = messages.flow.fixes;
const MAX_SHOWN = 24;

export const SETTING_FIXES: Readonly<Record<string, FindFix>> = {
  unknown_config_key: onSetting(renameOrRemove),
  removed_config_key: onSetting(({ board, node, key }) => drop(board, node, key)),
  value_not_in_enum: onSetting(({ context, board, node, key }) => {
    const meant = context.issue.suggestion;
    return meant === undefined ? toDefault(board, node, key) : set(board, node, key, meant);
  }),
  wrong_value_type: onSetting(({ board, node, key, value, input }) => {
    const meant = input === undefined ? undefined : convert(value, input);
    return meant === undefined ? toDefault(board, node, key) : set(board, node, key, meant);
  }),
  value_out_of_range: onSetting(bringIntoRange),
  config_normalized: onSetting(({ board, node, key, value }) => set(board, node, key, value)),
  required_field_missing: context => {
    const [node, key] = [nodeOf(context), lastSegment(context)];
    const input = node && portsOf(context.catalog, node).inputs.find(({ id }) => id === key);
    return input && { kind: 'fill', label: texts.fill(input.label), nodeId: node.id, input };
  },
  params_override_config: context => moveParams(context, [lastSegment(context)]),
  params_in_use: context => moveParams(context, Object.keys(nodeOf(context)?.data.params ?? {})),
};

interface Setting {
  readonly context: FixContext;
  readonly board: Board;
  readonly node: GraphNode;
  readonly key: string;
  /** As lint reads it: numbers written as text count as numbers. */
  readonly value: Json;
  readonly input: InputDef | undefined;
}

/** Applies to issues whose pointer ends with an existing key of `data.config`. */
function onSetting(find: (setting: Setting) => Fix | undefined): FindFix {
  return context => {
    const [node, key] = [nodeOf(context), lastSegment(context)];
    if (node === undefined || !Object.hasOwn(node.data.config ?? {}, key)) return undefined;
    const { graph } = normalizeConfig({ nodes: [node], edges: [] }, context.catalog);
    const value = graph.nodes[0]?.data.config?.[key] ?? null;
    const input = portsOf(context.catalog, node).inputs.find(({ id }) => id === key);
    return find({ context, board: context.board, node, key, value, input });
  };
}

function renameOrRemove({ context, board, node, key, value }: Setting): Fix | undefined {
  const meant = context.issue.suggestion;
  const { [key]: _, ...rest } = node.data.config ?? {};
  if (meant === undefined || Object.hasOwn(rest, meant)) return drop(board, node, key);
  return change(texts.rename(meant), setWhole(board, node, { ...rest, [meant]: value }));
}

function bringIntoRange({ board, node, key, value, input }: Setting): Fix | undefined {
  if (input === undefined) return undefined;
  if (Array.isArray(value)) {
    const cut = (value as readonly Json[]).slice(0, input.maxItems);
    if (findListProblem(cut.length, input) === undefined)
      return change(texts.shorten(cut.length), setConfig(board, node.id, key, cut));
    return { kind: 'fill', label: texts.fill(input.label), nodeId: node.id, input };
  }
  const near = typeof value === 'number' ? clamp(value, input) : undefined;
  return near === undefined ? toDefault(board, node, key) : set(board, node, key, near);
}

// No step needs more than ten digits.
const DIGITS = 10;

/** Returns the nearest number that the field accepts, or undefined. */
export function clamp(value: number, input: InputDef): number | undefined {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, integer, step = 0 } = input;
  const inside = Math.min(max, Math.max(min, value));
  const unit = step > 0 ? step : integer === true ? 1 : 0;
  const origin = Number.isFinite(min) ? min : 0;
  const steps = Math.min(Math.round((inside - origin) / unit), Math.floor((max - origin) / unit));
  const near = unit === 0 ? inside : Number((origin + steps * unit).toFixed(DIGITS));
  return findNumberProblem(near, input) === undefined ? near : undefined;
}

/** Converts the value to the type of the field, or returns undefined if that is ambiguous. */
function convert(value: Json, { type, enum: allowed }: InputDef): Json | undefined {
  const text = typeof value === 'boolean' || typeof value === 'number' ? String(value) : undefined;
  if (type === 'TEXT' && text !== undefined && (allowed?.includes(text) ?? true)) return text;
  if (type === 'BOOLEAN' && (value === 0 || value === 1)) return value === 1;
  if (type === 'NUMBER' && Array.isArray(value) && value.length === 1 && typeof value[0] === 'number')
    return value[0];
  if (type === 'LIST' && (text !== undefined || typeof value === 'string')) return [value];
  return undefined;
}

/** `params` overrides config when the node runs, so moving its values to config keeps the behavior. */
function moveParams(context: FixContext, keys: readonly string[]): Fix | undefined {
  const node = nodeOf(context);
  const params = node?.data.params;
  if (node === undefined || params === undefined) return undefined;
  const taken = Object.fromEntries(keys.flatMap(key => (key in params ? [[key, params[key] ?? null]] : [])));
  if (Object.keys(taken).length === 0) return undefined;
  const left = Object.fromEntries(Object.entries(params).filter(([key]) => !(key in taken)));
  return change(
    texts.moveParams,
    replaceNodes(context.board, [node.id], ({ data: { params: _, config, ...data }, ...rest }) => ({
      ...rest,
      data: {
        ...data,
        config: { ...config, ...taken },
        ...(Object.keys(left).length === 0 ? {} : { params: left }),
      },
    })),
  );
}

function drop(board: Board, { id }: GraphNode, key: string): Fix | undefined {
  return change(texts.drop(key), setConfig(board, id, key, undefined));
}

function toDefault(board: Board, { id }: GraphNode, key: string): Fix | undefined {
  return change(texts.toDefault, setConfig(board, id, key, undefined));
}

function set(board: Board, { id }: GraphNode, key: string, value: Json): Fix | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  return change(texts.set(shown), setConfig(board, id, key, value));
}

function setWhole(board: Board, { id }: GraphNode, config: JsonObject): readonly Change[] {
  return replaceNodes(board, [id], node => ({ ...node, data: { ...node.data, config } }));
}
