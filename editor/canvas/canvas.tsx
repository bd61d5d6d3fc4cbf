// Renders the board and handles the pointer. This is the only folder that uses React Flow, which pans, zooms and mounts
// the readable nodes. Edges and all other nodes are painted.
import './react-flow.css';
import {
  Background,
  BackgroundVariant,
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react';
import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type EditorContextValue, useEditor } from '../board/editor-context.tsx';
import { messages } from '../flow-messages.ts';
import { BoardMenu } from './board-menu.tsx';
import styles from './canvas.module.css';
import { Card } from './card.tsx';
import { EdgeValue } from './edge-value.tsx';
import { Pointer } from './gestures/press.ts';
import { Group } from './group.tsx';
import { handleCanvasKey } from './keys.ts';
import type { CardNode } from './model.ts';
import { Note } from './note.tsx';
import { Overview } from './overview.tsx';
import { boxAt } from './scene/hits.ts';
import { PaintLayer } from './scene/paint-layer.tsx';
import { FAR_ZOOM, type Viewport } from './scene/painting.ts';
import { boundsOf, type Scene } from './scene/scene.ts';
import { createSketch, SketchLayer, useSketchRoot } from './scene/sketch-layer.tsx';
import { Stage } from './scene/stage.ts';
import { useActions } from './use-actions.ts';
import { useMounted, useScene } from './use-shown.ts';
import { fitted, MAX_ZOOM, MIN_ZOOM, ZoomBar } from './zoom-bar.tsx';

const OPTIONS: ReactFlowProps<CardNode> = {
  nodeTypes: { card: Card, note: Note, group: Group },
  minZoom: MIN_ZOOM,
  maxZoom: MAX_ZOOM,
  nodesDraggable: false,
  nodesFocusable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
  panActivationKeyCode: null,
  zoomOnDoubleClick: false,
  elevateNodesOnSelect: true,
  proOptions: { hideAttribution: true },
};

export function Canvas() {
  const { scene, model } = useScene();
  const [stage] = useState(() => new Stage());
  const frame = useRef<HTMLDivElement>(null);
  const [start, setStart] = useState<Viewport>();
  // Before the first paint, so that the board is drawn once, at its final view.
  useLayoutEffect(() => {
    if (start !== undefined || frame.current === null) return;
    const { width, height } = frame.current.getBoundingClientRect();
    const viewport = fitted(boundsOf(scene), { width, height });
    stage.set({ size: { width, height }, viewport });
    setStart(viewport);
  }, [scene, stage, start]);
  return (
    <div ref={frame} className={styles.frame}>
      {start !== undefined && (
        <ReactFlowProvider>
          <Drawing stage={stage} scene={scene} model={model} start={start} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

interface DrawingProps {
  readonly stage: Stage;
  readonly scene: Scene;
  readonly model: ReturnType<typeof useScene>['model'];
  readonly start: Viewport;
}

function Drawing({ stage, scene, model, start }: DrawingProps) {
  const editor = useEditor();
  const nodes = useMounted(stage, scene, model);
  const root = useRef<HTMLDivElement>(null);
  const sketch = useSketchRoot();
  useActions(root, stage);
  useView(stage, root);
  usePointer({ stage, root, sketch });
  return (
    <ReactFlow<CardNode>
      {...OPTIONS}
      ref={root}
      className={styles.canvas ?? ''}
      aria-label={messages.flow.canvas}
      tabIndex={0}
      nodes={nodes}
      defaultViewport={start}
      onKeyDown={event => handleCanvasKey(event, editor)}
      nodesConnectable={false}
      onDoubleClick={event => doubleClick(event, { editor, stage })}
    >
      <Background
        variant={BackgroundVariant.Dots}
        gap={20}
        size={1.4}
        className={styles.dots ?? ''}
        // An inline style would override the class.
        bgColor="transparent"
      />
      <PaintLayer stage={stage} />
      <SketchLayer root={sketch} />
      <EdgeValue stage={stage} />
      <Overview stage={stage} />
      <ZoomBar stage={stage} />
      <BoardMenu />
    </ReactFlow>
  );
}

/** On empty board: opens the palette. On a painted node: zooms in. */
function doubleClick(
  { target, currentTarget, clientX, clientY }: MouseEvent<HTMLElement>,
  { editor, stage }: { readonly editor: EditorContextValue; readonly stage: Stage },
): void {
  if (!(target instanceof Element) || target.closest('.react-flow__pane') === null) return;
  const { left, top } = currentTarget.getBoundingClientRect();
  const { scene, places, viewport } = stage.now;
  const at = {
    x: (clientX - left - viewport.x) / viewport.zoom,
    y: (clientY - top - viewport.y) / viewport.zoom,
  };
  const box = boxAt(scene, at, places);
  if (box === undefined) editor.view.setState({ panel: { kind: 'add', placing: { at } } });
  else editor.canvas.current?.fit([box.id]);
}

/** Keeps the render state in sync with React Flow's viewport and the window size. */
function useView(stage: Stage, root: RefObject<HTMLDivElement | null>): void {
  const flow = useStoreApi<CardNode>();
  useEffect(() => {
    const stop = flow.subscribe(({ transform: [x, y, zoom], paneDragging }) => {
      const { viewport, isHeld } = stage.now;
      if (paneDragging !== isHeld) stage.set({ isHeld: paneDragging });
      if (x === viewport.x && y === viewport.y && zoom === viewport.zoom) return;
      stage.set({ viewport: { x, y, zoom } });
    });
    const mark = ({ viewport, isMoving }: Partial<Stage['now']>): void => {
      // Gives the nodes their own layer while the view moves, so that the browser moves it without repainting.
      if (isMoving !== undefined) root.current?.toggleAttribute('data-moving', isMoving);
      if (viewport !== undefined) root.current?.toggleAttribute('data-far', viewport.zoom < FAR_ZOOM);
    };
    mark(stage.now);
    const stopMarking = stage.watch(mark);
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined)
        stage.set({ size: { width: entry.contentRect.width, height: entry.contentRect.height } });
    });
    if (root.current !== null) observer.observe(root.current);
    return () => {
      stop();
      stopMarking();
      observer.disconnect();
    };
  }, [flow, stage, root]);
}
interface Pointed {
  readonly stage: Stage;
  readonly root: RefObject<HTMLDivElement | null>;
  readonly sketch: RefObject<SVGSVGElement | null>;
}

function usePointer({ stage, root, sketch }: Pointed): void {
  const editor = useEditor();
  const flow = useReactFlow<CardNode>();
  useEffect(() => {
    if (root.current === null) return;
    const pointer = new Pointer({
      editor,
      stage,
      flow,
      root: root.current,
      sketch: createSketch(sketch, stage),
    });
    return () => pointer.stop();
  }, [editor, stage, flow, root, sketch]);
}
