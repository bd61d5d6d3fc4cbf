// A sticky note.
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import type { CardNode } from './model.ts';
import styles from './note.module.css';

const COLOR = /^#[0-9a-f]{6}$/i;

export const Note = memo(function Note({ data: { node } }: NodeProps<CardNode>) {
  const { text, color } = node.data.config ?? {};
  const shown = typeof text === 'string' && text !== '' ? text : node.data.label;
  return (
    <div
      className={styles.note}
      style={typeof color === 'string' && COLOR.test(color) ? { backgroundColor: color } : undefined}
    >
      {shown}
    </div>
  );
});
