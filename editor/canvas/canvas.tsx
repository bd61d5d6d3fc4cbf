// The drawing of the board, and what the pointer does to it. The only folder that knows of React Flow.
import './react-flow.css';
import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
  SelectionMode,
  type Viewport,
} from '@xyflow/react';
import { useRef } from 'react';
import { useBoard, useEditor } from '../board/editor-context.tsx';
import { messages } from '../messages.ts';
import styles from './canvas.module.css';
import { Card } from './card.tsx';
import { categoryOf } from './colors.ts';
import { Group } from './group.tsx';
import { handleCanvasKey } from './keys.ts';
import type { CardNode, Wire as WireEdge } from './model.ts';
import { Note } from './note.tsx';
import { useActions } from './use-actions.ts';
import { useConnecting } from './use-connecting.ts';
import { useMoving } from './use-moving.ts';
import { useShown } from './use-shown.ts';
import { Wire } from './wire.tsx';
import { ZoomBar } from './zoom-bar.tsx';

/** Below this zoom text cannot be read: nodes are drawn as boxes. */
const FAR_ZOOM = 0.32;
/** Boards of fewer nodes show all of them at once; in larger ones only what is in view is in the page. */
const FEW = 60;
/** The map draws every node anew at each movement: boards of more do without it. */
const MANY = 400;

const OPTIONS: ReactFlowProps<CardNode, WireEdge> = {
  nodeTypes: { card: Card, note: Note, group: Group },
  edgeTypes: { wire: Wire },
  minZoom: 0.05,
  maxZoom: 2.5,
  fitView: true,
  fitViewOptions: { padding: 0.12, maxZoom: 1 },
  nodesFocusable: false,
  edgesFocusable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: 'Shift',
  multiSelectionKeyCode: ['Shift', 'Meta', 'Control'],
  panActivationKeyCode: null,
  selectionMode: SelectionMode.Partial,
  zoomOnDoubleClick: false,
  elevateNodesOnSelect: true,
  connectionRadius: 28,
  connectOnClick: false,
  proOptions: { hideAttribution: true },
};

export function Canvas() {
  return (
    <ReactFlowProvider>
      <Drawing />
    </ReactFlowProvider>
  );
}

function Drawing() {
  const editor = useEditor();
  const { view } = editor;
  const count = useBoard(({ board }) => board.nodes.length);
  const moving = useMoving();
  const { nodes, edges } = useShown(moving.positions);
  const connecting = useConnecting();
  const root = useRef<HTMLDivElement>(null);
  useActions(root);
  const setFar = ({ zoom }: Viewport): void => {
    const isFar = zoom < FAR_ZOOM;
    if (view.getState().isFar !== isFar) view.setState({ isFar });
  };
  return (
    <ReactFlow<CardNode, WireEdge>
      {...OPTIONS}
      ref={root}
      className={styles.canvas ?? ''}
      aria-label={messages.flow.canvas}
      tabIndex={0}
      nodes={nodes}
      edges={edges}
      onlyRenderVisibleElements={count > FEW}
      onViewportChange={setFar}
      onKeyDown={event => handleCanvasKey(event, editor)}
      onDoubleClick={connecting.onDoubleClick}
      {...moving.handlers}
      {...connecting.handlers}
    >
      <Background
        variant={BackgroundVariant.Dots}
        gap={20}
        size={1.4}
        className={styles.dots ?? ''}
        // Its own style would be over that of the class.
        bgColor="transparent"
      />
      {count <= MANY && <Overview />}
      <ZoomBar />
    </ReactFlow>
  );
}

function Overview() {
  return (
    <MiniMap
      className={styles.minimap ?? ''}
      pannable
      zoomable
      nodeColor={minimapColor}
      nodeBorderRadius={12}
      ariaLabel={messages.flow.minimap}
    />
  );
}

const minimapColor = (node: CardNode): string => `var(--category-${categoryOf(node.data)})`;
