// Handles all keys and clipboard events of the editor. A key goes to the first of these that handles it: a gesture in
// progress (Escape), the focused canvas, the command with that shortcut.

import { toHandle } from '../../src/graph/handles.ts';
import { move } from '../board/edits.ts';
import { expandGroups } from '../board/groups.ts';
import type { PortRef } from '../board/wiring.ts';
import { canConnect, connectPorts, findRejection, getTabOrder } from '../board/wiring.ts';
import { messages } from '../flow-messages.ts';
import { isEditable } from '../lib/editable.ts';
import { getKey, matchesShortcut } from '../lib/shortcut.ts';
import type { EditorContextValue } from '../session/editor-context.tsx';
import { COMMANDS, type Command, copyOnEvent, pasteOnEvent } from './commands.ts';
import { focusInspectorField, moveByTab } from './tab-order.ts';

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const STEP = 8;
const LONG_STEP = 64;

/** Commands that also work while a field has the focus. */
const GLOBAL_COMMANDS: ReadonlySet<string> = new Set(['run', 'save']);
/** Commands that the browser's clipboard events trigger. */
const CLIPBOARD_COMMANDS: ReadonlySet<string> = new Set(['copy', 'cut', 'paste', 'paste-connected']);

interface KeyTargets {
  readonly editor: EditorContextValue;
  readonly root: HTMLElement;
  /** Cancels the gesture in progress. Returns false if there is none. */
  readonly cancelGesture: () => boolean;
}

/** Listens to keys and clipboard events. Returns an unsubscribe function. */
export function listenToKeys(targets: KeyTargets): () => void {
  const { editor } = targets;
  const controller = new AbortController();
  const options = { signal: controller.signal };
  window.addEventListener('keydown', event => handleKeyInField(event, editor), { ...options, capture: true });
  window.addEventListener('keydown', event => handleKey(event, targets), options);
  document.addEventListener('copy', event => copyOnEvent(editor, event), options);
  document.addEventListener('cut', event => copyOnEvent(editor, event), options);
  // The event of a paste does not say whether Shift was pressed.
  let isShiftPressed = false;
  const readShift = ({ shiftKey }: KeyboardEvent): void => {
    isShiftPressed = shiftKey;
  };
  for (const type of ['keydown', 'keyup'] as const)
    window.addEventListener(type, readShift, { ...options, capture: true });
  document.addEventListener('paste', event => pasteOnEvent(editor, event, isShiftPressed), options);
  return () => controller.abort();
}

/** Handles global commands before the focused field does, because some fields insert a line for Ctrl+Enter. */
function handleKeyInField(event: KeyboardEvent, editor: EditorContextValue): void {
  // In lists such as the palette, Enter chooses an option.
  if (!isEditable(event.target) || (event.target as HTMLElement).role === 'combobox') return;
  const command = findCommand(event);
  if (command === undefined || !GLOBAL_COMMANDS.has(command.id)) return;
  event.preventDefault();
  event.stopPropagation();
  command.run(editor);
}

function handleKey(event: KeyboardEvent, targets: KeyTargets): void {
  const { editor, root, cancelGesture } = targets;
  if (event.key === 'Escape' && cancelGesture()) return;
  // The menu may still be loading.
  if (event.defaultPrevented || editor.view.getState().menu !== undefined) return;
  if (event.key === 'Tab') {
    if (handleTab(event, targets)) event.preventDefault();
    return;
  }
  const isEditingText = isEditable(event.target);
  if (!isEditingText && root.contains(event.target as Node) && handleCanvasKey(event, { ...editor, root })) {
    event.preventDefault();
    return;
  }
  if (document.querySelector('dialog[open], [role="menu"]') !== null) return;
  const command = findCommand(event);
  if (command === undefined || isEditingText) return;
  event.preventDefault();
  command.run(editor);
}

function findCommand(event: KeyboardEvent): Command | undefined {
  if (event.altKey) return undefined;
  return COMMANDS.find(
    ({ id, keys }) => !CLIPBOARD_COMMANDS.has(id) && keys.some(shortcut => matchesShortcut(shortcut, event)),
  );
}

/** Handles a key while the canvas, a node or a port has the focus. Returns whether the key was handled. */
function handleCanvasKey(event: KeyboardEvent, canvas: FocusedCanvas): boolean {
  if (event.key in ARROWS) return !isModified(event) && nudge(event, canvas);
  const handler = CANVAS_KEYS[getKey(event)];
  return handler?.(event, canvas) ?? false;
}

interface FocusedCanvas extends EditorContextValue {
  readonly root: HTMLElement;
}

type KeyHandler = (event: KeyboardEvent, canvas: FocusedCanvas) => boolean;

const CANVAS_KEYS: Readonly<Record<string, KeyHandler>> = {
  Escape: cancelOrDeselect,
  Enter: (event, editor) => !isModified(event) && handleEnter(event, editor),
  ' ': (event, editor) => toggleFocused(event, editor),
  c: (event, editor) => !isModified(event) && (pickPort(event, editor) || pickFirstOutput(event, editor)),
  '.': (event, editor) => openMenu(event, editor),
};

const isModified = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey || event.altKey;

const findNodeId = (target: EventTarget | null): string | undefined =>
  (target as HTMLElement).closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;

function findFocusedPort(target: EventTarget | null): PortRef | undefined {
  const element = (target as HTMLElement).closest<HTMLElement>('[data-port]');
  const nodeId = findNodeId(target);
  return element?.dataset.port === undefined || nodeId === undefined
    ? undefined
    : { nodeId, handle: element.dataset.port };
}

function nudge(event: KeyboardEvent, { session }: EditorContextValue): boolean {
  const { store } = session;
  const { board, selection } = store.getState();
  const distance = event.shiftKey ? LONG_STEP : STEP;
  const [dx, dy] = (ARROWS[event.key] ?? [0, 0]).map(part => part * distance) as [number, number];
  const ids = expandGroups(board, selection);
  const selectedNodes = board.nodes.filter(({ id }) => ids.has(id));
  if (selectedNodes.length === 0) return false;
  const positions = new Map(
    selectedNodes.map(({ id, position: { x, y } }) => [id, { x: x + dx, y: y + dy }]),
  );
  store.actions.perform(
    messages.flow.edits.move(selectedNodes.length),
    move(board, positions),
    `nudge ${[...selection].join()}`,
  );
  return true;
}

/** Handles Tab: moves through the compatible ports while connecting, otherwise through the page in a circle. */
function handleTab(event: KeyboardEvent, { editor, root }: KeyTargets): boolean {
  if (isModified(event) || document.querySelector('dialog[open], [role="menu"]') !== null) return false;
  if (editor.view.getState().connecting === undefined) return moveByTab(event, editor);
  return movePortFocus(root, '[data-fit="yes"] [data-port]', event.target, event.shiftKey ? -1 : 1);
}

function movePortFocus(root: Element, selector: string, from: EventTarget | null, step: number): boolean {
  const ports = [...root.querySelectorAll<HTMLElement>(selector)];
  if (ports.length === 0) return true;
  const index = ports.indexOf(from as HTMLElement);
  ports[(index + step + ports.length) % ports.length]?.focus();
  return true;
}

/**
 * Handles Enter. On the canvas, focuses the first node. On a node, focuses the first field, the result, the first field in the
 * inspector, or the first port. On a port, starts or finishes a connection.
 */
function handleEnter(event: KeyboardEvent, editor: EditorContextValue): boolean {
  if (findFocusedPort(event.target) !== undefined) return pickPort(event, editor);
  const nodeId = findNodeId(event.target);
  if (nodeId === undefined) {
    const [firstId] = getTabOrder(editor.session.store.getState().board);
    if (firstId === undefined) return false;
    editor.session.store.actions.select([firstId]);
    editor.canvas.current?.focusNode(firstId);
    return true;
  }
  const node = (event.target as HTMLElement).closest('[data-node-id]');
  if (node === null || node !== event.target) return false;
  const find = (selector: string): HTMLElement | null => node.querySelector(selector);
  const isConnecting = editor.view.getState().connecting !== undefined;
  const first = isConnecting ? null : (find('[data-card-field]') ?? find('figure button'));
  if (first === null && !isConnecting && focusInspectorField()) return true;
  (first ?? find('[data-port]'))?.focus({ preventScroll: true });
  return true;
}

/** Handles Escape: cancels the connection, then returns from a port to its node, then clears the selection. */
function cancelOrDeselect(event: KeyboardEvent, { view, session, canvas }: EditorContextValue): boolean {
  const node = (event.target as HTMLElement).closest<HTMLElement>('[data-node-id]');
  if (view.getState().connecting === undefined && node !== null && node !== event.target) {
    node.focus({ preventScroll: true });
    return true;
  }
  if (view.getState().connecting !== undefined)
    view.setState({ connecting: undefined, announcement: messages.flow.connectCancelled });
  else session.store.actions.select([]);
  canvas.current?.focus();
  return true;
}

function toggleFocused(event: KeyboardEvent, { session }: EditorContextValue): boolean {
  const id = findNodeId(event.target);
  if (id === undefined) return false;
  const { selection } = session.store.getState();
  const remaining = [...selection].filter(other => other !== id);
  session.store.actions.select(selection.has(id) ? remaining : [...(event.shiftKey ? selection : []), id]);
  return true;
}

/** Starts a connection from the first output of the focused node. */
function pickFirstOutput(event: KeyboardEvent, editor: EditorContextValue): boolean {
  const node = (event.target as HTMLElement).closest<HTMLElement>('[data-node-id]');
  const port = node?.querySelector<HTMLElement>(`[data-port^="${toHandle('out', '')}"]`);
  if (node == null || port == null) return false;
  port.focus({ preventScroll: true });
  const { view } = editor;
  view.setState({
    connecting: { nodeId: node.dataset.nodeId ?? '', handle: port.dataset.port ?? '' },
    announcement: messages.flow.connectStarted(port.getAttribute('aria-label') ?? ''),
  });
  return true;
}

/** Opens the menu of the focused node below its title. */
function openMenu(event: KeyboardEvent, { view, session }: EditorContextValue): boolean {
  const node = (event.target as HTMLElement).closest<HTMLElement>('[data-node-id]');
  if (node === null || isModified(event)) return false;
  const id = node.dataset.nodeId ?? '';
  if (!session.store.getState().selection.has(id)) session.store.actions.select([id]);
  const { left, top } = node.getBoundingClientRect();
  view.setState({
    menu: { position: { x: Math.max(8, left + 24), y: Math.max(60, top + 24) }, isOnNode: true },
  });
  return true;
}

function pickPort(event: KeyboardEvent, editor: EditorContextValue): boolean {
  const port = findFocusedPort(event.target);
  if (port === undefined) return false;
  const { session, view } = editor;
  const { store, catalog } = session;
  const { board } = store.getState();
  const { connecting } = view.getState();
  const name = (event.target as HTMLElement).getAttribute('aria-label') ?? '';
  if (connecting === undefined)
    view.setState({ connecting: port, announcement: messages.flow.connectStarted(name) });
  else if (canConnect(board, catalog, connecting, port)) {
    store.actions.perform(messages.flow.edits.connect, connectPorts(board, catalog, connecting, port));
    view.setState({ connecting: undefined, announcement: messages.flow.connected(name) });
  } else {
    const rejection = findRejection(board, catalog, connecting, port);
    const reason = rejection === undefined ? '' : messages.flow.rejection(rejection);
    view.setState({ announcement: messages.flow.incompatible(name, reason) });
  }
  return true;
}
