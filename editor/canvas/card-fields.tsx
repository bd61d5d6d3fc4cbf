// The settings that a node shows, as the inspector has them; the rest is there alone.
import type { InputDef } from '../../src/graph/catalog.ts';
import { fieldHeight, MAX_FIELDS, NODE_BOX } from '../../src/graph/dims.ts';
import { isSecretName } from '../../src/graph/redact.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import styles from './card.module.css';
import type { CardData } from './model.ts';

const SHOWN_CHARS = 600;

interface CardFieldsProps {
  readonly data: CardData;
  readonly height: number;
  readonly rows: number;
}

export function CardFields({ data: { node, fields }, height, rows }: CardFieldsProps) {
  let end = NODE_BOX.header + NODE_BOX.portRow * Math.max(rows, 1);
  const shown = fields.slice(0, MAX_FIELDS).filter(field => {
    end += fieldHeight(field);
    return end <= height;
  });
  if (shown.length === 0) return null;
  return (
    <dl className={styles.fields}>
      {shown.map(field => (
        <div key={field.id} style={{ height: fieldHeight(field) }}>
          <dt>{field.label}</dt>
          <dd data-default={node.data.config?.[field.id] === undefined || undefined}>
            {textOf(node, field)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf({ data }: GraphNode, { id, default: fallback }: InputDef): string {
  const value = data.config?.[id] ?? fallback;
  if (value === undefined || value === null || value === '') return '–';
  if (isSecretName(id)) return '••••••••';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN_CHARS);
}
