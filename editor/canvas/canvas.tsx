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
import { messages } from '../flow-messages.ts';
import { openComponent } from '../session/component-versions.ts';
import { type EditorContextValue, useEditor } from '../session/editor-context.tsx';
import styles from './canvas.module.css';
import { Card } from './card.tsx';
import type { FlowNode } from './card-cache.ts';
import { EdgeValue } from './edge-value.tsx';
import { PointerController, SELF_HANDLED } from './gestures/press.ts';
import { Group } from './group.tsx';
import { listenToKeys } from './keys.ts';
import { Minimap } from './minimap.tsx';
import { Note } from './note.tsx';
import { findNodeAt } from './painter/hit-test.ts';
import { createOverlay, OverlayLayer, useOverlayRoot } from './painter/overlay-layer.tsx';
import { PaintLayer } from './painter/paint-layer.tsx';
import { FAR_ZOOM, type Viewport } from './painter/painting.ts';
import { RenderState } from './painter/render-state.ts';
import { type BoardScene, getBounds } from './painter/scene.ts';
import { useActions } from './use-actions.ts';
import { useInitialFit, useKeepVisible } from './use-fit.ts';
import { useMountedNodes, useScene } from './use-mounted.ts';
import { fitViewport, MAX_ZOOM, MIN_ZOOM } from './viewports.ts';
import { ZoomBar } from './zoom-bar.tsx';

/** Loads after the first paint. */

const OPTIONS: ReactFlowProps<FlowNode> = {
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
  const { scene, cardCache } = useScene();
  const [renderState] = useState(() => new RenderState());
  const frame = useRef<HTMLDivElement>(null);
  const [initialViewport, setInitialViewport] = useState<Viewport>();
  // Runs before the first paint, so that the board is painted only once, at its final view.
  useLayoutEffect(() => {
    if (initialViewport !== undefined || frame.current === null) return;
    const { width, height } = frame.current.getBoundingClientRect();
    const viewport = fitViewport(getBounds(scene), { width, height });
    renderState.set({ size: { width, height }, viewport });
    setInitialViewport(viewport);
  }, [scene, renderState, initialViewport]);
  return (
    <div ref={frame} className={styles.frame}>
      {initialViewport !== undefined && (
        <ReactFlowProvider>
          <FlowCanvas
            renderState={renderState}
            scene={scene}
            cardCache={cardCache}
            initialViewport={initialViewport}
          />
        </ReactFlowProvider>
      )}
    </div>
  );
}

interface FlowCanvasProps {
  readonly renderState: RenderState;
  readonly scene: BoardScene;
  readonly cardCache: ReturnType<typeof useScene>['cardCache'];
  readonly initialViewport: Viewport;
}

function FlowCanvas({ renderState, scene, cardCache, initialViewport }: FlowCanvasProps) {
  const editor = useEditor();
  const nodes = useMountedNodes(renderState, scene, cardCache);
  const root = useRef<HTMLDivElement>(null);
  const overlay = useOverlayRoot();
  useActions(root, renderState);
  useViewportSync(renderState, root);
  useInitialFit(renderState);
  usePointer({ renderState, root, overlay });
  return (
    <ReactFlow<FlowNode>
      {...OPTIONS}
      ref={root}
      className={styles.canvas ?? ''}
      aria-label={messages.flow.canvas}
      tabIndex={0}
      data-focus-region="canvas"
      nodes={nodes}
      defaultViewport={initialViewport}
      nodesConnectable={false}
      onDoubleClick={event => handleDoubleClick(event, { editor, renderState })}
    >
      <Background
        variant={BackgroundVariant.Dots}
        gap={20}
        size={1.4}
        className={styles.dots ?? ''}
        // An inline style would override the class.
        bgColor="transparent"
      />
      <PaintLayer renderState={renderState} />
      <OverlayLayer root={overlay} />
      <EdgeValue renderState={renderState} />
      <Minimap renderState={renderState} />
      <ZoomBar renderState={renderState} />
    </ReactFlow>
  );
}

/** Handles a double click: opens a component, opens the palette on the empty board, or zooms to a painted node. */
function handleDoubleClick(
  { target, currentTarget, clientX, clientY }: MouseEvent<HTMLElement>,
  { editor, renderState }: { readonly editor: EditorContextValue; readonly renderState: RenderState },
): void {
  if (!(target instanceof Element)) return;
  const nodeId = target.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  if (nodeId !== undefined && target.closest(SELF_HANDLED) === null) void openComponent(editor, nodeId);
  if (target.closest('.react-flow__pane') === null) return;
  const { left, top } = currentTarget.getBoundingClientRect();
  const { scene, positions, viewport } = renderState.now;
  const point = {
    x: (clientX - left - viewport.x) / viewport.zoom,
    y: (clientY - top - viewport.y) / viewport.zoom,
  };
  const node = findNodeAt(scene, point, positions);
  if (node === undefined) editor.view.setState({ panel: { kind: 'add', placement: { position: point } } });
  else editor.canvas.current?.zoomToFit([node.id]);
}

/** Copies React Flow's viewport and the canvas size to the render state. */
function useViewportSync(renderState: RenderState, root: RefObject<HTMLDivElement | null>): void {
  const flow = useStoreApi<FlowNode>();
  const keepVisible = useKeepVisible(renderState, root);
  useEffect(() => {
    const stop = flow.subscribe(({ transform: [x, y, zoom], paneDragging }) => {
      const { viewport, isPanning } = renderState.now;
      if (paneDragging !== isPanning) renderState.set({ isPanning: paneDragging });
      if (x === viewport.x && y === viewport.y && zoom === viewport.zoom) return;
      renderState.set({ viewport: { x, y, zoom } });
    });
    const updateAttributes = ({ viewport, isMoving }: Partial<RenderState['now']>): void => {
      // Gives the nodes their own layer while the view moves, so that the browser moves it without repainting.
      if (isMoving !== undefined) root.current?.toggleAttribute('data-moving', isMoving);
      if (viewport !== undefined) root.current?.toggleAttribute('data-far', viewport.zoom < FAR_ZOOM);
    };
    updateAttributes(renderState.now);
    const stopUpdating = renderState.watch(updateAttributes);
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const before = renderState.now.size;
      renderState.set({ size: { width: entry.contentRect.width, height: entry.contentRect.height } });
      keepVisible(before);
    });
    if (root.current !== null) observer.observe(root.current);
    return () => {
      stop();
      stopUpdating();
      observer.disconnect();
    };
  }, [flow, renderState, root, keepVisible]);
}

interface PointerOptions {
  readonly renderState: RenderState;
  readonly root: RefObject<HTMLDivElement | null>;
  readonly overlay: RefObject<SVGSVGElement | null>;
}

function usePointer({ renderState, root, overlay }: PointerOptions): void {
  const editor = useEditor();
  const flow = useReactFlow<FlowNode>();
  useEffect(() => {
    if (root.current === null) return;
    const pointer = new PointerController({
      editor,
      renderState,
      flow,
      root: root.current,
      overlay: createOverlay(overlay, renderState),
    });
    const stopKeys = listenToKeys({
      editor,
      root: root.current,
      cancelGesture: () => pointer.cancelGesture(),
    });
    return () => {
      stopKeys();
      pointer.stop();
    };
  }, [editor, renderState, flow, root, overlay]);
}
