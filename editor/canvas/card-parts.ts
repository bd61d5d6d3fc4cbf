// Computes what a card shows below its ports, for both the DOM and the painter.
import type { InputDef } from '../../src/graph/catalog.ts';
import { fieldHeight, MAX_FIELDS, NODE_BOX } from '../../src/graph/dims.ts';
import { isSecretName } from '../../src/graph/redact.ts';
import type { CardData } from './model.ts';

const MAX_VALUE_CHARS = 600;

export interface VisibleField {
  readonly field: InputDef;
  /** Offset from the top of the card. */
  readonly y: number;
  readonly height: number;
  readonly text: string;
  readonly isDefault: boolean;
}

/** Returns the settings that fit on the card. The inspector shows all of them. */
export function getVisibleFields(
  { node, fields, inputs, outputs }: CardData,
  height: number,
): VisibleField[] {
  let end: number = NODE_BOX.header + NODE_BOX.portRow * Math.max(inputs.length, outputs.length, 1);
  return fields.slice(0, MAX_FIELDS).flatMap((field): VisibleField[] => {
    const y = end;
    end += fieldHeight(field);
    if (end > height) return [];
    const value = node.data.config?.[field.id];
    return [
      {
        field,
        y,
        height: fieldHeight(field),
        text: formatValue(field.id, value ?? field.default),
        isDefault: value === undefined,
      },
    ];
  });
}

function formatValue(id: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (isSecretName(id)) return '••••••••';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE_CHARS);
}

/** Whether the card has a preview of its result. */
export const hasPreview = ({ entry, outputs }: CardData): boolean =>
  entry?.category === 'output' || outputs.some(({ type }) => type === 'IMAGE' || type === 'VIDEO');

const MAX_PORT_CHARS = 17;

export const truncatePortLabel = (label: string): string =>
  label.length > MAX_PORT_CHARS ? `${label.slice(0, MAX_PORT_CHARS)}…` : label;
