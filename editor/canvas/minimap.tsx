// Renders the minimap: nodes as colored rectangles, and a frame around the visible part. Press or drag moves the view.
import { useReactFlow } from '@xyflow/react';
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { isNear, type Rect } from '../../src/graph/rects.ts';
import { messages } from '../flow-messages.ts';
import styles from './canvas.module.css';
import type { FlowNode } from './card-cache.ts';
import { getCategory } from './colors.ts';
import { getNoteColors } from './note-text.ts';
import { type PaintColors, readPaintColors, watchTheme } from './painter/paint-colors.ts';
import { getVisibleRect } from './painter/painting.ts';
import { oncePerFrame, type RenderState } from './painter/render-state.ts';
import { contains, getBounds, grow, isSameDrawing, NO_POSITIONS } from './painter/scene.ts';

const WIDTH = 180;
const HEIGHT = 116;
const MARGIN_PX = 8;
/** The distances to the edges of the canvas, as in `canvas.module.css`. */
const LEFT = 15;
const BOTTOM = 54;

export function Minimap({ renderState }: { readonly renderState: RenderState }) {
  const flow = useReactFlow();
  const canvas = useRef<HTMLCanvasElement>(null);
  const mask = useRef<HTMLDivElement>(null);
  const fit = useRef<MinimapFit>({ x: 0, y: 0, scale: 1 });
  useEffect(() => {
    const [element, frame] = [canvas.current, mask.current];
    return element && frame ? redrawOnChange({ renderState, element, frame, fit }) : undefined;
  }, [renderState]);
  const moveView = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons !== 1) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const { x, y, scale } = fit.current;
    event.currentTarget.setPointerCapture(event.pointerId);
    void flow.setCenter((event.clientX - left - x) / scale, (event.clientY - top - y) / scale, {
      zoom: renderState.now.viewport.zoom,
    });
  };
  return (
    <div
      className={`${styles.minimap} nopan nowheel`}
      role="img"
      aria-label={messages.flow.minimap}
      data-own-pointer
      onPointerDown={moveView}
      onPointerMove={moveView}
    >
      <canvas ref={canvas} />
      <div ref={mask} className={styles.mask} />
    </div>
  );
}

interface MinimapElements {
  readonly renderState: RenderState;
  readonly element: HTMLCanvasElement;
  readonly frame: HTMLElement;
  readonly fit: RefObject<MinimapFit>;
}

/** Redraws the nodes when the board changes. Moving the view moves only the frame. Returns an unsubscribe function. */
function redrawOnChange({ renderState, element, frame, fit }: MinimapElements): () => void {
  let colors = readColors(element);
  let bounds: Rect | undefined;
  const nodesFrame = oncePerFrame(() => {
    bounds = getBounds(renderState.now.scene);
    fit.current = computeFit(bounds);
    drawNodes(element, renderState, { colors, fit: fit.current });
    updateView();
  });
  const updateView = (): void => {
    // The frame is hidden while the whole board is visible.
    const isBoardVisible =
      bounds === undefined ||
      contains(getVisibleRect(renderState.now.viewport, renderState.now.size), bounds);
    element.parentElement?.toggleAttribute('data-idle', isBoardVisible);
    element.parentElement?.toggleAttribute('data-covering', coversNode(renderState));
    positionMask(frame, renderState, fit.current);
  };
  const viewFrame = oncePerFrame(updateView);
  let drawnScene = renderState.now.scene;
  // Of the content of nodes, the minimap shows only the color of notes.
  const isPlainNode = (id: string): boolean => drawnScene.byId.get(id)?.card.type !== 'note';
  const unsubscribers = [
    renderState.watch(change => {
      const before = drawnScene;
      drawnScene = renderState.now.scene;
      if (change.scene === undefined) viewFrame.request();
      else if (!isSameDrawing(before, drawnScene, isPlainNode)) nodesFrame.request();
    }),
    watchTheme(() => {
      colors = readColors(element);
      nodesFrame.request();
    }),
    nodesFrame.cancel,
    viewFrame.cancel,
  ];
  nodesFrame.request();
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}

/** Returns whether a node is below the minimap. While the view moves, the minimap is shown above nodes. */
function coversNode({ now }: RenderState): boolean {
  const { viewport, size, scene, positions, isMoving } = now;
  if (isMoving && positions === NO_POSITIONS) return false;
  const { x, y, zoom } = viewport;
  const rect = {
    x: (LEFT - x) / zoom,
    y: (size.height - BOTTOM - HEIGHT - y) / zoom,
    width: WIDTH / zoom,
    height: HEIGHT / zoom,
  };
  return scene.nodes.some(node => {
    const { width, height, card } = node;
    return card.type !== 'group' && isNear(rect, { ...(positions.get(node.id) ?? node), width, height }, 0);
  });
}

interface MinimapFit {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

function computeFit(bounds: Rect | undefined): MinimapFit {
  const { x, y, width, height } = grow(bounds ?? { x: 0, y: 0, width: WIDTH, height: HEIGHT }, 1);
  const scale = Math.min((WIDTH - 2 * MARGIN_PX) / width, (HEIGHT - 2 * MARGIN_PX) / height, 0.2);
  return {
    x: (WIDTH - width * scale) / 2 - x * scale,
    y: (HEIGHT - height * scale) / 2 - y * scale,
    scale,
  };
}

/** Reads the colors with a temporary element, because `readPaintColors` sets the element's color. */
function readColors(element: HTMLElement): PaintColors {
  const probe = document.createElement('i');
  element.parentElement?.append(probe);
  const colors = readPaintColors(probe);
  probe.remove();
  return colors;
}

function drawNodes(
  element: HTMLCanvasElement,
  { now }: RenderState,
  { colors, fit }: { readonly colors: PaintColors; readonly fit: MinimapFit },
): void {
  const ctx = element.getContext('2d');
  if (ctx === null) return;
  const ratio = devicePixelRatio;
  element.width = WIDTH * ratio;
  element.height = HEIGHT * ratio;
  ctx.setTransform(ratio * fit.scale, 0, 0, ratio * fit.scale, ratio * fit.x, ratio * fit.y);
  const minSize = 2 / fit.scale;
  for (const { card, x, y, width, height } of now.scene.nodes) {
    ctx.globalAlpha = card.type === 'group' ? 0.25 : 1;
    ctx.fillStyle = getColor(card, colors);
    ctx.fillRect(x, y, Math.max(width, minSize), Math.max(height, minSize));
  }
}

function getColor({ type, data }: FlowNode, colors: PaintColors): string {
  if (type === 'note') return getNoteColors(data.node).background;
  return colors.categories.get(getCategory(data)) ?? colors.muted;
}

function positionMask(mask: HTMLElement, { now }: RenderState, { x, y, scale }: MinimapFit): void {
  const view = getVisibleRect(now.viewport, now.size);
  mask.style.transform = `translate(${view.x * scale + x}px, ${view.y * scale + y}px)`;
  mask.style.width = `${view.width * scale}px`;
  mask.style.height = `${view.height * scale}px`;
}
