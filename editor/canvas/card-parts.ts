// Lays out the part of a card below its ports, for both the DOM and the painter.

import { describeSetting, formatChoice, getSettings } from '../../src/graph/card-fields.ts';
import type { InputDef } from '../../src/graph/catalog.ts';
import { isComponentCall } from '../../src/graph/components/calls.ts';
import { getFieldHeight, NODE_BOX } from '../../src/graph/dims.ts';
import { isSecretName } from '../../src/graph/redact.ts';
import type { Json } from '../../src/graph/types.ts';
import { getShownOutput, isVisualPort } from '../board/call.ts';
import { getControlKind } from '../board/control-kind.ts';
import { toItemText, toJsonText } from '../board/item-text.ts';
import { shorten } from '../lib/cut-text.ts';
import type { FlowNodeData } from './card-cache.ts';

const MAX_VALUE_CHARS = 600;
const MAX_CHIP_CHARS = 24;

export interface VisibleField {
  readonly field: InputDef;
  /** Offset from the top of the card. */
  readonly y: number;
  readonly height: number;
  readonly text: string;
  readonly isDefault: boolean;
}

/** The fields and settings that a card shows below its ports, from top to bottom. */
export interface CardLayout {
  readonly fields: readonly VisibleField[];
  /** One line with the settings that differ from their default. */
  readonly chips: { readonly y: number; readonly texts: readonly string[] } | undefined;
  /** Offset of the result from the top of the card. */
  readonly resultY: number;
}

export function layoutCard({ node, fields, changed, inputs, outputs }: FlowNodeData): CardLayout {
  const config = getSettings(node.data);
  let end: number = NODE_BOX.header + NODE_BOX.portRow * Math.max(inputs.length, outputs.length, 1);
  const visibleFields = fields.map((field): VisibleField => {
    const [y, height] = [end, getFieldHeight(field)];
    end += height;
    const value = config[field.id];
    const text = formatFieldValue(field, value ?? field.default) || (field.isPort ? field.label : '');
    return { field, y, height, text, isDefault: value === undefined || value === '' };
  });
  const y = end;
  if (changed.length > 0) end += NODE_BOX.chips;
  const texts = changed.map(setting => shorten(describeSetting(setting, config[setting.id]), MAX_CHIP_CHARS));
  return {
    fields: visibleFields,
    chips: texts.length === 0 ? undefined : { y, texts },
    resultY: end,
  };
}

/** Returns the text that the field's control shows. */
function formatFieldValue(field: InputDef, value: Json | undefined): string {
  const kind = getControlKind(field);
  if (kind === 'json') return toJsonText(value).slice(0, MAX_VALUE_CHARS);
  if (kind === 'list' && Array.isArray(value))
    return value.slice(0, MAX_LINES).map(toItemText).join('\n').slice(0, MAX_VALUE_CHARS);
  const text = formatValue(field.id, value);
  return field.enum === undefined ? text : formatChoice(text, field.enum);
}

const MAX_LINES = 8;

function formatValue(id: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isSecretName(id)) return '••••••••';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE_CHARS);
}

/** Returns whether the card has space for a result before there is a result. */
export function hasPreview({ node, entry, outputs }: FlowNodeData): boolean {
  if (!isComponentCall(node)) return entry?.category === 'output' || outputs.some(isVisualPort);
  const shown = getShownOutput(node);
  return shown !== undefined && isVisualPort(shown);
}

const MAX_PORT_CHARS = 17;

export const truncatePortLabel = (label: string): string => shorten(label, MAX_PORT_CHARS);
