// Renders the frame of a group, which moves with its nodes. A collapsed group shows only its header.

import ChevronDown from 'icon:chevron-down';
import ChevronRight from 'icon:chevron-right';
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { getChildIds } from '../../src/graph/edit.ts';
import { messages } from '../flow-messages.ts';
import { useEditor, useView } from '../session/editor-context.tsx';
import type { FlowNode } from './card-cache.ts';
import styles from './note.module.css';
import { Resizer } from './resizer.tsx';

export const Group = memo(function Group({ data: { node }, selected = false }: NodeProps<FlowNode>) {
  const { view } = useEditor();
  const isCollapsed = useView(({ collapsed }) => collapsed.has(node.id));
  const { label } = node.data;
  const toggle = (): void => {
    const { collapsed } = view.getState();
    const nextCollapsed = new Set(collapsed);
    if (!nextCollapsed.delete(node.id)) nextCollapsed.add(node.id);
    view.setState({ collapsed: nextCollapsed });
  };
  const Chevron = isCollapsed ? ChevronRight : ChevronDown;
  return (
    <div className={styles.group} data-collapsed={isCollapsed || undefined}>
      <div className={styles.groupHead}>
        <button
          type="button"
          className={styles.collapse}
          aria-expanded={!isCollapsed}
          aria-label={(isCollapsed ? messages.flow.expand : messages.flow.collapse)(label)}
          onClick={toggle}
        >
          <Chevron size={16} />
        </button>
        <span className={styles.groupName}>{label}</span>
        {isCollapsed && <span className={styles.count}>{getChildIds(node).length}</span>}
      </div>
      {selected && !isCollapsed && <Resizer node={node} />}
    </div>
  );
});
