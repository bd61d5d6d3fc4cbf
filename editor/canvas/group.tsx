// The frame of a group; its nodes stand on it and move with it.
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import type { CardNode } from './model.ts';
import styles from './note.module.css';

export const Group = memo(function Group({ data: { node } }: NodeProps<CardNode>) {
  return (
    <div className={styles.group}>
      <span className={styles.groupName}>{node.data.label}</span>
    </div>
  );
});
