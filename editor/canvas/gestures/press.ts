// Tracks a pointer from press to release and starts the gesture for the pressed element. React Flow, which pans and zooms,
// does not receive presses that start a gesture.
import type { Position } from '../../../src/graph/types.ts';
import type { PortRef } from '../../board/wiring.ts';
import { PORT_PX } from '../card-cache.ts';
import { findEdgeAt, findNodeAt, findPortAt } from '../painter/hit-test.ts';
import { FAR_ZOOM } from '../painter/painting.ts';
import { oncePerFrame } from '../painter/render-state.ts';
import { type SelectionShape, startAreaSelection } from './area-selection.ts';
import { startConnection } from './connect.ts';
import { startDrag } from './drag.ts';
import { type Gesture, type PointerContext, toBoardPosition } from './pointer-context.ts';

const DRAG_START_PX = 4;
const LONG_PRESS_MS = 500;
const EDGE_HIT_PX = 9;

/** Elements that handle the pointer themselves. */
export const SELF_HANDLED =
  '.react-flow__panel, button:not([data-port]), a, input, textarea, select, video, audio, [data-own-pointer]';

const IDLE_FIELD = 'textarea[data-card-field], input[data-card-field]:not([type="checkbox"])';

interface Press {
  readonly pointerId: number;
  readonly isTouch: boolean;
  readonly from: Position;
  readonly screen: Position;
  readonly nodeId: string | undefined;
  readonly edgeId: string | undefined;
  /** Starts the gesture when the pointer moves. If undefined, React Flow pans. */
  readonly start: (() => Gesture) | undefined;
  readonly isAdditive: boolean;
  /** The field on a node that a click focuses. */
  readonly field: HTMLElement | undefined;
}

/** Handles pointer events until it is stopped. */
export class PointerController {
  readonly #context: PointerContext;
  readonly #controller = new AbortController();
  #press: Press | undefined;
  #gesture: Gesture | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastMove: PointerEvent | undefined;
  readonly #autopan = oncePerFrame(() => this.#pan());

  constructor(context: PointerContext) {
    this.#context = context;
    const { root } = context;
    const options = { capture: true, signal: this.#controller.signal };
    root.addEventListener('pointerdown', event => this.#down(event), options);
    root.addEventListener('pointermove', event => this.#move(event), options);
    root.addEventListener('pointerup', event => this.#up(event), options);
    root.addEventListener('pointercancel', () => this.#cancel(), options);
    // React Flow pans on mouse and touch events, which follow the pointer events.
    root.addEventListener('mousedown', event => this.#stopPropagation(event), options);
    root.addEventListener('touchstart', event => this.#stopPropagation(event), options);
    root.addEventListener('contextmenu', event => this.#onContextMenu(event), options);
    root.addEventListener('pointerleave', () => clearHover(context), options);
  }

  /** Cancels the gesture in progress. Returns false if there is none. */
  cancelGesture(): boolean {
    if (this.#gesture === undefined) return false;
    this.#cancel();
    return true;
  }

  stop(): void {
    this.#cancel();
    this.#controller.abort();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#autopan.cancel();
    this.#press = undefined;
    this.#gesture = undefined;
  }

  #cancel(): void {
    this.#gesture?.cancel();
    this.#end();
  }

  #down(event: PointerEvent): void {
    // A second finger starts a pinch.
    if (this.#press !== undefined) this.#cancel();
    else if (event.button === 0 && isHandled(event, this.#context.root)) {
      const press = readPress(this.#context, event);
      this.#press = press;
      if (press.isTouch) this.#timer = setTimeout(() => this.#onLongPress(press), LONG_PRESS_MS);
    }
  }

  #onLongPress(press: Press): void {
    this.#cancel();
    openMenu(this.#context, press);
  }

  #move(event: PointerEvent): void {
    const press = this.#press;
    if (press === undefined) hover(this.#context, event);
    if (press === undefined || event.pointerId !== press.pointerId) return;
    if (this.#gesture === undefined) {
      if (Math.hypot(event.clientX - press.screen.x, event.clientY - press.screen.y) < DRAG_START_PX) return;
      clearTimeout(this.#timer);
      if (press.start === undefined) {
        this.#end();
        return;
      }
      this.#context.root.setPointerCapture(event.pointerId);
      this.#gesture = press.start();
    }
    this.#gesture.move(toBoardPosition(this.#context, event), event);
    this.#lastMove = event;
    this.#autopan.request();
  }

  // Scrolls the board when a gesture reaches the edge of the canvas.
  #pan(): void {
    const event = this.#lastMove;
    if (this.#gesture === undefined || event === undefined) return;
    const step = computeAutopan(this.#context.root.getBoundingClientRect(), event);
    if (step.x === 0 && step.y === 0) return;
    const { x, y, zoom } = this.#context.renderState.now.viewport;
    void this.#context.flow.setViewport({ x: x + step.x, y: y + step.y, zoom });
    this.#gesture.move(toBoardPosition(this.#context, event), event);
    this.#autopan.request();
  }

  #up(event: PointerEvent): void {
    if (event.pointerId !== this.#press?.pointerId) return;
    const { field } = this.#press;
    if (this.#gesture !== undefined) this.#gesture.end(event);
    else if (field === undefined) click(this.#context, this.#press);
    else editField(field, event);
    this.#end();
  }

  #stopPropagation(event: Event): void {
    // The field gets the focus when the pointer is released.
    if (this.#press?.field !== undefined && event.type === 'mousedown') event.preventDefault();
    if (this.#press?.start !== undefined) event.stopPropagation();
  }

  #onContextMenu(event: MouseEvent): void {
    if (!isHandled(event, this.#context.root)) return;
    event.preventDefault();
    // A long press has already opened the menu.
    if (event instanceof PointerEvent && event.pointerType === 'touch') return;
    this.#cancel();
    openMenu(this.#context, {
      ...findTarget(this.#context, event),
      screen: { x: event.clientX, y: event.clientY },
    });
  }
}

const AUTOPAN_MARGIN_PX = 28;
const AUTOPAN_STEP_PX = 14;

function computeAutopan({ left, right, top, bottom }: DOMRect, { clientX, clientY }: PointerEvent): Position {
  const computeStep = (coordinate: number, low: number, high: number): number =>
    coordinate < low + AUTOPAN_MARGIN_PX
      ? AUTOPAN_STEP_PX
      : coordinate > high - AUTOPAN_MARGIN_PX
        ? -AUTOPAN_STEP_PX
        : 0;
  return { x: computeStep(clientX, left, right), y: computeStep(clientY, top, bottom) };
}

function clearHover({ renderState }: PointerContext): void {
  if (renderState.now.hoveredEdgeId !== undefined) renderState.set({ hoveredEdgeId: undefined });
}

const findPressedPort = (target: EventTarget | null): PortRef | undefined => {
  const port = (target as Element | null)?.closest<HTMLElement>('[data-port]');
  const nodeId = port?.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  return port == null || nodeId === undefined ? undefined : { nodeId, handle: port.dataset.port ?? '' };
};

/** Finds a port of a node that is painted at readable size because it is not mounted yet. */
function findPaintedPort({ renderState }: PointerContext, point: Position): PortRef | undefined {
  const { scene, positions, viewport, mounted } = renderState.now;
  if (viewport.zoom < FAR_ZOOM) return undefined;
  const isFit = ({ nodeId }: PortRef): boolean => !mounted.has(nodeId);
  return findPortAt(scene, point, { maxDistance: PORT_PX, positions, isFit })?.port;
}

/** Returns whether the target is a field that is not being edited: a drag moves its node, a click edits the field. */
const isIdleField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.matches(IDLE_FIELD) && target !== document.activeElement;

const isHandled = ({ target }: Event, root: HTMLElement): boolean =>
  target instanceof Element &&
  target !== root &&
  (target.closest(SELF_HANDLED) === null || isIdleField(target));

function findTarget(
  context: PointerContext,
  event: PointerEvent | MouseEvent,
): { readonly nodeId: string | undefined; readonly edgeId: string | undefined } {
  const element = (event.target as Element).closest<HTMLElement>('[data-node-id]');
  const { scene, positions, viewport } = context.renderState.now;
  const point = toBoardPosition(context, event);
  const nodeId = element?.dataset.nodeId ?? findNodeAt(scene, point, positions)?.id;
  if (nodeId !== undefined) return { nodeId, edgeId: undefined };
  return {
    nodeId,
    edgeId: findEdgeAt(scene, point, { maxDistance: EDGE_HIT_PX / viewport.zoom, positions })?.id,
  };
}

function readPress(context: PointerContext, event: PointerEvent): Press {
  const { view, session } = context.editor;
  const { selection } = session.store.getState();
  const { tool } = view.getState();
  const target = findTarget(context, event);
  const from = toBoardPosition(context, event);
  const isTouch = event.pointerType === 'touch';
  const isAdditive = event.shiftKey || event.ctrlKey || event.metaKey;
  const shape: SelectionShape | undefined =
    tool ?? (event.shiftKey ? (event.altKey ? 'lasso' : 'box') : undefined);
  const area = shape && {
    start: (): Gesture => {
      view.setState({ tool: undefined });
      return startAreaSelection(context, from, { shape, baseSelection: isAdditive ? selection : new Set() });
    },
  };
  const { nodeId } = target;
  // On touch screens, dragging an unselected node pans: there is little empty board to touch.
  const canDrag = nodeId !== undefined && (!isTouch || selection.has(nodeId));
  const drag = canDrag
    ? {
        start: (): Gesture => {
          if (!session.store.getState().selection.has(nodeId)) session.store.actions.select([nodeId]);
          return startDrag(context, from, nodeId);
        },
      }
    : undefined;
  const port = findPressedPort(event.target) ?? findPaintedPort(context, from);
  const connect = port && { start: (): Gesture => startConnection(context, port) };
  const screen = { x: event.clientX, y: event.clientY };
  return {
    // The last defined gesture wins.
    start: undefined,
    ...drag,
    ...area,
    ...connect,
    ...target,
    pointerId: event.pointerId,
    isTouch,
    from,
    screen,
    isAdditive,
    field: isIdleField(event.target) && !isAdditive ? event.target : undefined,
  };
}

/** Focuses a field and places the caret at the click. */
function editField(field: HTMLElement, { clientX, clientY }: PointerEvent): void {
  field.focus({ preventScroll: true });
  const caret = document.caretPositionFromPoint?.(clientX, clientY);
  if (caret?.offsetNode === field && field instanceof HTMLTextAreaElement)
    field.setSelectionRange(caret.offset, caret.offset);
}

/** Selects the pressed node or edge, or clears the selection. With Shift or Control, toggles the node or edge. */
function click({ editor, root }: PointerContext, { nodeId, edgeId, isAdditive }: Press): void {
  const { store } = editor.session;
  const { selection } = store.getState();
  const id = nodeId ?? edgeId;
  if (!isAdditive) store.actions.select(id === undefined ? [] : [id]);
  else if (id !== undefined)
    store.actions.select(
      selection.has(id) ? [...selection].filter(other => other !== id) : [...selection, id],
    );
  const element =
    nodeId === undefined
      ? undefined
      : root.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(nodeId)}"]`);
  (element ?? root).focus({ preventScroll: true });
}

/** Highlights the edge under the pointer. The canvas then shows the value of the edge. */
function hover(context: PointerContext, event: PointerEvent): void {
  if (event.buttons !== 0 || event.pointerType === 'touch') return;
  const isOnBoard =
    isHandled(event, context.root) && (event.target as Element).closest('[data-node-id]') === null;
  const { scene, positions, viewport, hoveredEdgeId } = context.renderState.now;
  const point = toBoardPosition(context, event);
  const edgeId = isOnBoard
    ? findEdgeAt(scene, point, { maxDistance: EDGE_HIT_PX / viewport.zoom, positions })?.id
    : undefined;
  if (edgeId !== hoveredEdgeId) context.renderState.set({ hoveredEdgeId: edgeId });
}

function openMenu(
  { editor }: PointerContext,
  { nodeId, edgeId, screen }: Pick<Press, 'nodeId' | 'edgeId' | 'screen'>,
): void {
  const { store } = editor.session;
  const id = nodeId ?? edgeId;
  if (id !== undefined && !store.getState().selection.has(id)) store.actions.select([id]);
  editor.view.setState({ menu: { position: screen, isOnNode: nodeId !== undefined } });
}
