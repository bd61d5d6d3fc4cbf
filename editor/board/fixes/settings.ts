// Defines fixes for issues of a node's config: unknown keys and invalid values.

import type { InputDef } from '../../../src/graph/catalog.ts';
import { findListProblem, findNumberProblem } from '../../../src/graph/fields.ts';
import { normalizeConfig } from '../../../src/graph/normalize.ts';
import type { GraphNode, Json } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { shorten } from '../../lib/cut-text.ts';
import { getPorts } from '../catalog.ts';
import { replaceNodes, setConfig } from '../edits.ts';
import { type FindFix, type Fix, type FixContext, findIssueNode, getLastSegment, toFix } from './fix.ts';

const fixMessages = messages.flow.fixes;
const MAX_PREVIEW_CHARS = 24;

export const SETTING_FIXES: Readonly<Record<string, FindFix>> = {
  unknown_config_key: forSetting(createRenameFix),
  removed_config_key: forSetting(createRemoveFix),
  value_not_in_enum: forSetting(setting => {
    const { suggestion } = setting.context.issue;
    return suggestion === undefined ? createResetFix(setting) : createSetFix(setting, suggestion);
  }),
  wrong_value_type: forSetting(setting => {
    const { value, input } = setting;
    const converted = input === undefined ? undefined : convert(value, input);
    return converted === undefined ? createResetFix(setting) : createSetFix(setting, converted);
  }),
  value_out_of_range: forSetting(createRangeFix),
  config_normalized: forSetting(setting => createSetFix(setting, setting.value)),
  required_field_missing: context => {
    const [node, key] = [findIssueNode(context), getLastSegment(context)];
    const input = node && getPorts(context.catalog, node).inputs.find(({ id }) => id === key);
    return input && { kind: 'fill', label: fixMessages.fill(input.label), nodeId: node.id, input };
  },
  params_override_config: context => createMoveParamsFix(context, [getLastSegment(context)]),
  params_in_use: context =>
    createMoveParamsFix(context, Object.keys(findIssueNode(context)?.data.params ?? {})),
};

interface Setting {
  readonly context: FixContext;
  readonly node: GraphNode;
  readonly key: string;
  /** The normalized value, as in lint: numbers written as text are numbers. */
  readonly value: Json;
  readonly input: InputDef | undefined;
}

/** Creates a fix for issues whose pointer ends with an existing key of `data.config`. */
function forSetting(findFix: (setting: Setting) => Fix | undefined): FindFix {
  return context => {
    const [node, key] = [findIssueNode(context), getLastSegment(context)];
    if (node === undefined || !Object.hasOwn(node.data.config ?? {}, key)) return undefined;
    const { graph } = normalizeConfig({ nodes: [node], edges: [] }, context.catalog);
    const value = graph.nodes[0]?.data.config?.[key] ?? null;
    const input = getPorts(context.catalog, node).inputs.find(({ id }) => id === key);
    return findFix({ context, node, key, value, input });
  };
}

function createRenameFix(setting: Setting): Fix | undefined {
  const { context, node, key, value } = setting;
  const { suggestion } = context.issue;
  if (suggestion === undefined || Object.hasOwn(node.data.config ?? {}, suggestion))
    return createRemoveFix(setting);
  return toFix(
    fixMessages.rename(suggestion),
    createChanges(setting, { [key]: undefined, [suggestion]: value }),
  );
}

function createRangeFix(setting: Setting): Fix | undefined {
  const { node, key, value, input } = setting;
  if (input === undefined) return undefined;
  if (Array.isArray(value)) {
    const shortened = (value as readonly Json[]).slice(0, input.maxItems);
    if (findListProblem(shortened.length, input) === undefined)
      return toFix(fixMessages.shorten(shortened.length), createChanges(setting, { [key]: shortened }));
    return { kind: 'fill', label: fixMessages.fill(input.label), nodeId: node.id, input };
  }
  const clamped = typeof value === 'number' ? clamp(value, input) : undefined;
  return clamped === undefined ? createResetFix(setting) : createSetFix(setting, clamped);
}

// No step needs more than ten digits.
const DIGITS = 10;

/** Returns the nearest number that the field accepts, or undefined. */
export function clamp(value: number, input: InputDef): number | undefined {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, integer, step = 0 } = input;
  const bounded = Math.min(max, Math.max(min, value));
  const unit = step > 0 ? step : integer === true ? 1 : 0;
  const origin = Number.isFinite(min) ? min : 0;
  const steps = Math.min(Math.round((bounded - origin) / unit), Math.floor((max - origin) / unit));
  const nearest = unit === 0 ? bounded : Number((origin + steps * unit).toFixed(DIGITS));
  return findNumberProblem(nearest, input) === undefined ? nearest : undefined;
}

/** Converts the value to the type of the field, or returns undefined if the conversion is ambiguous. */
function convert(value: Json, { type, enum: allowedValues }: InputDef): Json | undefined {
  const text = typeof value === 'boolean' || typeof value === 'number' ? String(value) : undefined;
  if (type === 'TEXT' && text !== undefined && (allowedValues?.includes(text) ?? true)) return text;
  if (type === 'BOOLEAN' && (value === 0 || value === 1)) return value === 1;
  if (type === 'NUMBER' && Array.isArray(value) && value.length === 1 && typeof value[0] === 'number')
    return value[0];
  if (type === 'LIST' && (text !== undefined || typeof value === 'string')) return [value];
  return undefined;
}

/** Moves `params` into config. `params` override config in a run, so the behavior stays the same. */
function createMoveParamsFix(context: FixContext, keys: readonly string[]): Fix | undefined {
  const node = findIssueNode(context);
  const params = node?.data.params;
  if (node === undefined || params === undefined) return undefined;
  const movedParams = Object.fromEntries(
    keys.flatMap(key => (key in params ? [[key, params[key] ?? null]] : [])),
  );
  if (Object.keys(movedParams).length === 0) return undefined;
  const remainingParams = Object.fromEntries(Object.entries(params).filter(([key]) => !(key in movedParams)));
  return toFix(
    fixMessages.moveParams,
    replaceNodes(context.board, [node.id], ({ data: { params: _, config, ...data }, ...rest }) => ({
      ...rest,
      data: {
        ...data,
        config: { ...config, ...movedParams },
        ...(Object.keys(remainingParams).length === 0 ? {} : { params: remainingParams }),
      },
    })),
  );
}

function createRemoveFix(setting: Setting): Fix | undefined {
  return toFix(fixMessages.drop(setting.key), createChanges(setting, { [setting.key]: undefined }));
}

function createResetFix(setting: Setting): Fix | undefined {
  return toFix(fixMessages.toDefault, createChanges(setting, { [setting.key]: undefined }));
}

function createSetFix(setting: Setting, value: Json): Fix | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const preview = text.length > MAX_PREVIEW_CHARS ? shorten(text, MAX_PREVIEW_CHARS - 1) : text;
  return toFix(fixMessages.set(preview), createChanges(setting, { [setting.key]: value }));
}

function createChanges({ context, node }: Setting, settings: Readonly<Record<string, Json | undefined>>) {
  return setConfig(context.board, context.catalog, node.id, settings);
}
