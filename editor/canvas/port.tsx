// A port of a node: where edges begin and end, by pointer and by keyboard. Its colour and its shape say its type.
import { Handle, Position } from '@xyflow/react';
import { memo } from 'react';
import { useBoard, useEditor, useView } from '../board/editor-context.tsx';
import { canConnect } from '../board/wiring.ts';
import { messages } from '../messages.ts';
import { typeColor, typeName } from './colors.ts';
import type { ShownPort } from './model.ts';
import styles from './port.module.css';

interface PortProps {
  readonly nodeId: string;
  readonly nodeLabel: string;
  readonly port: ShownPort;
}

export const Port = memo(function Port({
  nodeId,
  nodeLabel,
  port: { handle, label, type, isUnknown },
}: PortProps) {
  const isInput = handle.startsWith('in-');
  const fit = useFit(nodeId, handle);
  return (
    <div className={isInput ? styles.input : styles.output} data-fit={fit} data-type={typeName(type)}>
      <Handle
        id={handle}
        type={isInput ? 'target' : 'source'}
        position={isInput ? Position.Left : Position.Right}
        isConnectable={!isUnknown}
        className={styles.handle}
        style={{ color: isUnknown ? 'var(--danger)' : typeColor(type) }}
        role="button"
        tabIndex={-1}
        aria-label={(isInput ? messages.flow.input : messages.flow.output)(label, nodeLabel)}
        data-port={handle}
        title={`${label} · ${type}`}
      />
      <span className={styles.label} aria-hidden>
        {label}
      </span>
    </div>
  );
});

/** While an edge is made: whether it may end here. */
function useFit(nodeId: string, handle: string): 'yes' | 'no' | undefined {
  const { session } = useEditor();
  const from = useView(view => view.connecting);
  const board = useBoard(state => (from === undefined ? undefined : state.board));
  if (from === undefined || board === undefined) return undefined;
  if (from.nodeId === nodeId && from.handle === handle) return 'yes';
  return canConnect(board, session.catalog, from, { nodeId, handle }) ? 'yes' : 'no';
}
