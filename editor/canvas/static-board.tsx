// Draws a graph that is not the open board, with the same painter: for viewing, and to select a node in it.
import Maximize from 'icon:maximize';
import Minus from 'icon:minus';
import Plus from 'icon:plus';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Catalog } from '../../src/graph/catalog.ts';
import type { Position } from '../../src/graph/types.ts';
import { getTabOrder } from '../board/wiring.ts';
import type { BoardGraph } from '../board/worker/requests.ts';
import { messages } from '../flow-messages.ts';
import { IconButton } from '../kit/button.tsx';
import styles from './canvas.module.css';
import { CardCache } from './card-cache.ts';
import { findNodeAt } from './painter/hit-test.ts';
import { paint } from './painter/paint.ts';
import { type PaintColors, readPaintColors, watchTheme } from './painter/paint-colors.ts';
import { getVisibleRect, type StatusOutline, type Viewport } from './painter/painting.ts';
import { oncePerFrame, type Size } from './painter/render-state.ts';
import { type BoardScene, contains, createScene, getBounds, NO_POSITIONS } from './painter/scene.ts';
import { fitViewport, MAX_ZOOM, MIN_ZOOM } from './viewports.ts';

interface StaticBoardProps {
  readonly label: string;
  readonly graph: BoardGraph;
  readonly catalog: Catalog;
  readonly selectedId: string | undefined;
  /** The outlines of nodes, by id. */
  readonly outlines: ReadonlyMap<string, StatusOutline>;
  readonly onSelect: (id: string | undefined) => void;
}

const DRAG_START_PX = 4;
const ZOOM_STEP = 1.25;
const PAN_PX = 60;
/** The zoom at which a selected node is shown. */
const READABLE_ZOOM = 0.6;

export function StaticBoard({ label, graph, catalog, selectedId, outlines, onSelect }: StaticBoardProps) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const probe = useRef<HTMLElement>(null);
  const scene = useMemo(() => {
    const cards = new CardCache(catalog);
    const resolvedEdges = cards.resolveEdges(graph);
    return createScene(cards.toFlowNodes(graph.nodes), resolvedEdges);
  }, [graph, catalog]);
  const order = useMemo(() => getTabOrder({ fields: {}, ...graph }), [graph]);
  const painter = useRef<Painter>(null);
  useEffect(() => {
    const elements = { root: root.current, canvas: canvas.current, probe: probe.current };
    const { root: frame, canvas: surface, probe: element } = elements;
    if (frame === null || surface === null || element === null) return undefined;
    painter.current = new Painter(frame, surface, element);
    return () => painter.current?.stop();
  }, []);
  useEffect(() => painter.current?.setScene(scene), [scene]);
  useEffect(() => painter.current?.setMarks(selectedId, outlines), [selectedId, outlines]);
  const { onPointerDown, onPointerMove, onPointerUp, onPointerCancel } = usePan(painter, onSelect);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const isHandled = handleKey(event.key, event.shiftKey);
    if (isHandled) event.preventDefault();
  };
  const handleKey = (key: string, isShifted: boolean): boolean => {
    const step = STEPS[key];
    if (step !== undefined && isShifted) painter.current?.pan(step.pan);
    else if (step !== undefined) {
      const index = selectedId === undefined ? -1 : order.indexOf(selectedId);
      const nextId = order[Math.min(Math.max(index + step.by, 0), order.length - 1)];
      onSelect(nextId);
      if (nextId !== undefined) painter.current?.show(nextId);
    } else if (key === '+' || key === '=') painter.current?.zoom(ZOOM_STEP);
    else if (key === '-') painter.current?.zoom(1 / ZOOM_STEP);
    else if (key === '0') painter.current?.fit();
    else return false;
    return true;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would not be focusable
    <div
      ref={root}
      className={styles.static}
      role="group"
      aria-label={label}
      aria-keyshortcuts="ArrowLeft ArrowRight + - 0"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys select nodes
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerCancel}
    >
      <canvas ref={canvas} className={styles.paint} aria-hidden />
      <i ref={probe} hidden />
      <div className={styles.zoom} data-own-pointer>
        <IconButton
          size="s"
          icon={Minus}
          label={messages.flow.zoomOut}
          onClick={() => painter.current?.zoom(1 / ZOOM_STEP)}
        />
        <IconButton
          size="s"
          icon={Plus}
          label={messages.flow.zoomIn}
          onClick={() => painter.current?.zoom(ZOOM_STEP)}
        />
        <IconButton
          size="s"
          icon={Maximize}
          label={messages.flow.zoomFit}
          onClick={() => painter.current?.fit()}
        />
      </div>
    </div>
  );
}

/** Arrows select the next node, and pan with Shift. */
const STEPS: Readonly<Record<string, { readonly by: number; readonly pan: Position }>> = {
  ArrowRight: { by: 1, pan: { x: -PAN_PX, y: 0 } },
  ArrowDown: { by: 1, pan: { x: 0, y: -PAN_PX } },
  ArrowLeft: { by: -1, pan: { x: PAN_PX, y: 0 } },
  ArrowUp: { by: -1, pan: { x: 0, y: PAN_PX } },
};

/** Pans while a pointer drags, and selects the node under a click. Two fingers zoom. */
function usePan(painter: RefObject<Painter | null>, onSelect: (id: string | undefined) => void) {
  const pointers = useRef(new Map<number, { last: Position; moved: number }>());
  const isOwn = ({ target }: PointerEvent): boolean =>
    (target as Element).closest('[data-own-pointer]') === null;
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0 || !isOwn(event)) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, { last: { x: event.clientX, y: event.clientY }, moved: 0 });
    },
    onPointerMove: (event: PointerEvent): void => {
      const pointer = pointers.current.get(event.pointerId);
      if (pointer === undefined) return;
      const point = { x: event.clientX, y: event.clientY };
      const step = { x: point.x - pointer.last.x, y: point.y - pointer.last.y };
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) painter.current?.pan(step);
      else {
        const getDistance = (from: Position): number =>
          Math.hypot(from.x - other.last.x, from.y - other.last.y) || 1;
        painter.current?.zoom(getDistance(point) / getDistance(pointer.last), other.last);
      }
      pointer.moved += Math.hypot(step.x, step.y);
      pointer.last = point;
    },
    onPointerUp: (event: PointerEvent): void => {
      const pointer = pointers.current.get(event.pointerId);
      pointers.current.delete(event.pointerId);
      if (pointer === undefined || pointer.moved >= DRAG_START_PX) return;
      onSelect(painter.current?.findNodeAt({ x: event.clientX, y: event.clientY }));
    },
    onPointerCancel: (event: PointerEvent): void => {
      pointers.current.delete(event.pointerId);
    },
  };
}

const NO_OUTLINES: ReadonlyMap<string, StatusOutline> = new Map();

/** Holds the view, and paints in the frame after a change. Fits the graph to the canvas until the user moves the view. */
class Painter {
  readonly #root: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #controller = new AbortController();
  readonly #frame = oncePerFrame(() => this.#paint());
  #colors: PaintColors;
  #scene: BoardScene = createScene([], []);
  #viewport: Viewport = { x: 0, y: 0, zoom: 1 };
  #size: Size = { width: 0, height: 0 };
  #selectedId: string | undefined;
  #outlines = NO_OUTLINES;
  #isFitted = true;

  constructor(root: HTMLElement, canvas: HTMLCanvasElement, probe: HTMLElement) {
    this.#root = root;
    this.#canvas = canvas;
    this.#colors = readPaintColors(probe);
    const { signal } = this.#controller;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      this.#size = { width: entry.contentRect.width, height: entry.contentRect.height };
      if (this.#isFitted) this.fit();
      else this.#frame.request();
    });
    observer.observe(root);
    const stopWatching = watchTheme(() => {
      this.#colors = readPaintColors(probe);
      this.#frame.request();
    });
    signal.addEventListener('abort', () => {
      observer.disconnect();
      stopWatching();
      this.#frame.cancel();
    });
    // React's listeners for the wheel are passive.
    root.addEventListener('wheel', event => this.#onWheel(event), { passive: false, signal });
  }

  stop(): void {
    this.#controller.abort();
  }

  setScene(scene: BoardScene): void {
    this.#scene = scene;
    this.fit();
  }

  setMarks(selectedId: string | undefined, outlines: ReadonlyMap<string, StatusOutline>): void {
    this.#selectedId = selectedId;
    this.#outlines = outlines;
    this.#frame.request();
  }

  fit(): void {
    this.#isFitted = true;
    this.#setViewport(fitViewport(getBounds(this.#scene), this.#size));
  }

  pan({ x, y }: Position): void {
    this.#isFitted = false;
    this.#setViewport({ ...this.#viewport, x: this.#viewport.x + x, y: this.#viewport.y + y });
  }

  /** Zooms around a point in window pixels, or around the center. */
  zoom(factor: number, around?: Position): void {
    this.#isFitted = false;
    const { x, y, zoom } = this.#viewport;
    const { left, top } = this.#root.getBoundingClientRect();
    const center =
      around === undefined
        ? { x: this.#size.width / 2, y: this.#size.height / 2 }
        : { x: around.x - left, y: around.y - top };
    const nextZoom = Math.min(Math.max(zoom * factor, MIN_ZOOM), MAX_ZOOM);
    const scale = nextZoom / zoom;
    this.#setViewport({
      x: center.x - (center.x - x) * scale,
      y: center.y - (center.y - y) * scale,
      zoom: nextZoom,
    });
  }

  /** Moves the view to the node if it is outside or too small to read. */
  show(id: string): void {
    const node = this.#scene.byId.get(id);
    if (node === undefined) return;
    const { zoom } = this.#viewport;
    if (zoom >= READABLE_ZOOM && contains(getVisibleRect(this.#viewport, this.#size), node)) return;
    this.#isFitted = false;
    const nextZoom = Math.max(zoom, READABLE_ZOOM);
    this.#setViewport({
      x: this.#size.width / 2 - (node.x + node.width / 2) * nextZoom,
      y: this.#size.height / 2 - (node.y + node.height / 2) * nextZoom,
      zoom: nextZoom,
    });
  }

  /** Returns the node at a point in window pixels. */
  findNodeAt({ x, y }: Position): string | undefined {
    const { left, top } = this.#root.getBoundingClientRect();
    const { x: offsetX, y: offsetY, zoom } = this.#viewport;
    const point = { x: (x - left - offsetX) / zoom, y: (y - top - offsetY) / zoom };
    return findNodeAt(this.#scene, point, NO_POSITIONS)?.id;
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(2 ** (-event.deltaY / 300), { x: event.clientX, y: event.clientY });
  }

  #setViewport(viewport: Viewport): void {
    this.#viewport = viewport;
    this.#frame.request();
  }

  #paint(): void {
    const ctx = this.#canvas.getContext('2d');
    if (ctx === null) return;
    const ratio = devicePixelRatio;
    this.#canvas.width = Math.round(this.#size.width * ratio);
    this.#canvas.height = Math.round(this.#size.height * ratio);
    paint(ctx, {
      scene: this.#scene,
      positions: NO_POSITIONS,
      viewport: this.#viewport,
      size: this.#size,
      ratio,
      selection: new Set(this.#selectedId === undefined ? [] : [this.#selectedId]),
      mounted: new Set(),
      getPaintedState: () => undefined,
      getOutline: id => this.#outlines.get(id),
      highlighted: new Set(),
      colors: this.#colors,
    });
  }
}
