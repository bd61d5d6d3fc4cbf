// What a card has below its ports: the page and the painter show the same.
import type { InputDef } from '../../src/graph/catalog.ts';
import { fieldHeight, MAX_FIELDS, NODE_BOX } from '../../src/graph/dims.ts';
import { isSecretName } from '../../src/graph/redact.ts';
import type { CardData } from './model.ts';

const SHOWN_CHARS = 600;

export interface ShownField {
  readonly field: InputDef;
  /** From the top of the card. */
  readonly y: number;
  readonly height: number;
  readonly text: string;
  readonly isDefault: boolean;
}

/** The settings that have their place; the rest is in the inspector alone. */
export function shownFields({ node, fields, inputs, outputs }: CardData, height: number): ShownField[] {
  let end: number = NODE_BOX.header + NODE_BOX.portRow * Math.max(inputs.length, outputs.length, 1);
  return fields.slice(0, MAX_FIELDS).flatMap((field): ShownField[] => {
    const y = end;
    end += fieldHeight(field);
    if (end > height) return [];
    const value = node.data.config?.[field.id];
    return [
      {
        field,
        y,
        height: fieldHeight(field),
        text: textOf(field.id, value ?? field.default),
        isDefault: value === undefined,
      },
    ];
  });
}

function textOf(id: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (isSecretName(id)) return '••••••••';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN_CHARS);
}

/** Whether it has a place for what the node makes. */
export const hasPreview = ({ entry, outputs }: CardData): boolean =>
  entry?.category === 'output' || outputs.some(({ type }) => type === 'IMAGE' || type === 'VIDEO');

const PORT_CHARS = 17;

export const portText = (label: string): string =>
  label.length > PORT_CHARS ? `${label.slice(0, PORT_CHARS)}…` : label;
