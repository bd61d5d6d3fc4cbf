// Defines all commands of the editor once, for the keys, the command menu, the toolbar and the list of shortcuts.

import { flushSync } from 'react-dom';
import { isBypassed } from '../../src/graph/bypass.ts';
import { isCanvasOnly, isModel } from '../../src/graph/catalog.ts';
import { isComponentCall } from '../../src/graph/components/calls.ts';
import type { Layout } from '../../src/graph/layout/layout.ts';
import { getBoundingBox } from '../../src/graph/rects.ts';
import type { GraphNode, Position } from '../../src/graph/types.ts';
import {
  type AlignmentLine,
  align,
  type DistributeDirection,
  distribute,
  type NodeBox,
} from '../board/align.ts';
import { apply, type Board, type Change, findNode } from '../board/board.ts';
import { parsePastedText, paste, type Subgraph, toClipboardText } from '../board/clipboard.ts';
import { move, remove, replaceNodes, setBypassed } from '../board/edits.ts';
import { findFreeSpace, getObstacles } from '../board/free-space.ts';
import { expandGroups, groupNodes, listGroupIds, ungroupNodes } from '../board/groups.ts';
import { placeText } from '../board/import-files.ts';
import { getNodeRect, withPreferredSizes } from '../board/node-size.ts';
import type { OpenBoard } from '../board/open-board.ts';
import { detachNodes } from '../board/rewiring.ts';
import { findSeedField } from '../board/seeds.ts';
import type { BoardState } from '../board/store.ts';
import { messages } from '../flow-messages.ts';
import { copyText } from '../kit/copy-button.tsx';
import { showError } from '../kit/failure.tsx';
import { isEditable } from '../lib/editable.ts';
import { getPastedFiles } from '../lib/pasted-files.ts';
import { showToast } from '../lib/toasts.ts';
import { goToCaller, openComponent } from '../session/component-versions.ts';
import { unpackSelected } from '../session/components.ts';
import type { DockKind, EditorContextValue, Panel } from '../session/editor-context.tsx';
import { getPin, getPins, setPin } from '../session/runs/pins.ts';
import { showRunPlan } from '../session/runs/plan-run.ts';
import { isInProgress } from '../session/runs/run-store.ts';

export interface Command {
  readonly id: string;
  readonly label: string;
  /** Shortcuts; `Mod` is Control, or Command on a Mac. */
  readonly keys: readonly string[];
  readonly run: (editor: EditorContextValue) => void;
  /** Whether the context menu offers the command. Default: always. */
  readonly isAvailable?: (editor: EditorContextValue) => boolean;
}

const labels = messages.flow.commands;
/** Longer text is not pasted as a text node. */
const MAX_PASTED_CHARS = 20_000;

const openPanel =
  (
    kind: Exclude<
      Panel['kind'],
      'add' | 'approval' | 'choose-model' | 'result' | 'component' | 'replace-model' | 'variations'
    >,
  ) =>
  ({ view }: EditorContextValue): void =>
    view.setState({ panel: { kind } });

/** Opens a docked panel, or closes it if it is open. */
const toggleDock =
  (dock: DockKind) =>
  ({ view }: EditorContextValue): void =>
    view.setState({ dock: view.getState().dock === dock ? undefined : dock });

export const COMMANDS: readonly Command[] = [
  {
    id: 'add',
    label: labels.add,
    keys: ['N'],
    run: ({ view }) => view.setState({ panel: { kind: 'add', placement: {} } }),
  },
  {
    id: 'choose-model',
    label: labels.chooseModel,
    keys: ['Shift+N'],
    run: ({ view }) => view.setState({ panel: { kind: 'choose-model', placement: {} } }),
  },
  { id: 'run', label: labels.run, keys: ['Mod+Enter'], run: startRun },
  { id: 'run-table', label: labels.runTable, keys: [], run: openPanel('batch') },
  { id: 'run-to', label: labels.runTo, keys: [], run: editor => void showRunPlan(editor, 'to') },
  { id: 'run-from', label: labels.runFrom, keys: [], run: editor => void showRunPlan(editor, 'from') },
  { id: 'run-again', label: labels.runAgain, keys: [], run: editor => void showRunPlan(editor, 'again') },
  { id: 'pin', label: labels.pin, keys: [], run: togglePin },
  {
    id: 'bypass',
    label: labels.bypass,
    keys: ['B'],
    run: toggleBypass,
    isAvailable: ({ session }) => !session.isReadOnly && listSelectedRunnable(session).length > 0,
  },
  {
    id: 'variations',
    label: labels.variations,
    keys: ['V'],
    run: openVariations,
    isAvailable: editor => findVariableNode(editor) !== undefined,
  },
  {
    id: 'compare-settings',
    label: labels.compareSettings,
    keys: [],
    run: openComparison,
    isAvailable: ({ session }) => !session.isReadOnly && listSelectedRunnable(session).length <= 1,
  },
  {
    id: 'replace-model',
    label: labels.replaceModel,
    keys: ['R'],
    run: openReplaceModel,
    isAvailable: editor => findSelectedModel(editor) !== undefined,
  },
  { id: 'library', label: labels.library, keys: ['L'], run: toggleDock('library') },
  { id: 'runs', label: labels.runs, keys: [], run: toggleDock('runs') },
  { id: 'cancel', label: labels.cancel, keys: [], run: ({ runs }) => void runs.cancel() },
  { id: 'undo', label: labels.undo, keys: ['Mod+Z'], run: ({ session }) => session.store.actions.undo() },
  {
    id: 'redo',
    label: labels.redo,
    keys: ['Shift+Mod+Z', 'Mod+Y'],
    run: ({ session }) => session.store.actions.redo(),
  },
  { id: 'copy', label: labels.copy, keys: ['Mod+C'], run: copySelected },
  { id: 'cut', label: labels.cut, keys: ['Mod+X'], run: cutSelected },
  { id: 'paste', label: labels.paste, keys: ['Mod+V'], run: editor => void pasteFromClipboard(editor) },
  {
    id: 'paste-connected',
    label: labels.pasteConnected,
    keys: ['Shift+Mod+V'],
    run: editor => void pasteFromClipboard(editor, true),
  },
  { id: 'duplicate', label: labels.duplicate, keys: ['Mod+D'], run: duplicate },
  { id: 'group', label: labels.group, keys: ['Mod+G'], run: groupSelected },
  {
    id: 'ungroup',
    label: labels.ungroup,
    keys: ['Shift+Mod+G'],
    run: ungroupSelected,
    isAvailable: hasSelectedGroup,
  },
  {
    id: 'make-component',
    label: labels.makeComponent,
    keys: ['M'],
    run: openPanel('make-component'),
    isAvailable: ({ session }) => !session.isReadOnly,
  },
  {
    id: 'unpack',
    label: labels.unpack,
    keys: ['U'],
    run: editor => void unpackSelected(editor).catch(showError),
    isAvailable: editor => !editor.session.isReadOnly && hasSelectedCall(editor),
  },
  { id: 'delete', label: labels.delete, keys: ['Delete', 'Backspace'], run: removeSelected },
  {
    id: 'delete-and-reconnect',
    label: labels.detach,
    keys: ['Shift+Delete', 'Shift+Backspace'],
    run: deleteAndReconnect,
  },
  { id: 'select-all', label: labels.selectAll, keys: ['Mod+A'], run: selectAll },
  {
    id: 'save',
    label: labels.save,
    keys: ['Mod+S'],
    run: ({ session }) => void session.saver.flush().catch(() => undefined),
  },
  { id: 'arrange', label: labels.arrange, keys: ['Shift+A'], run: editor => void arrange(editor) },
  ...createAlignCommands(),
  {
    id: 'distribute-across',
    label: labels.distributeHorizontally,
    keys: [],
    run: editor => distributeSelected(editor, 'horizontal'),
  },
  {
    id: 'distribute-down',
    label: labels.distributeVertically,
    keys: [],
    run: editor => distributeSelected(editor, 'vertical'),
  },
  {
    id: 'box-select',
    label: labels.box,
    keys: ['Shift+B'],
    run: ({ view }) => view.setState({ tool: 'box' }),
  },
  {
    id: 'lasso-select',
    label: labels.lasso,
    keys: ['Shift+L'],
    run: ({ view }) => view.setState({ tool: 'lasso' }),
  },
  { id: 'fit', label: labels.fit, keys: ['Shift+1'], run: ({ canvas }) => canvas.current?.zoomToFit() },
  { id: 'fit-selected', label: labels.fitSelected, keys: ['Shift+2'], run: fitSelected },
  { id: 'rename', label: labels.rename, keys: ['F2'], run: renameNode },
  {
    id: 'open-component',
    label: labels.openComponent,
    keys: ['O'],
    run: openSelectedComponent,
    isAvailable: hasSelectedCall,
  },
  { id: 'back', label: labels.back, keys: ['Shift+O'], run: editor => goToCaller(editor) },
  { id: 'callers', label: labels.callers, keys: [], run: openPanel('callers') },
  { id: 'find', label: labels.find, keys: ['Mod+F'], run: openPanel('find') },
  { id: 'versions', label: labels.versions, keys: [], run: toggleDock('versions') },
  { id: 'automations', label: labels.automations, keys: [], run: toggleDock('automations') },
  { id: 'share', label: labels.share, keys: [], run: openPanel('share') },
  { id: 'secrets', label: labels.secrets, keys: [], run: openPanel('secrets') },
  { id: 'export', label: labels.export, keys: [], run: openPanel('export') },
  { id: 'commands', label: labels.commands, keys: ['/', 'Mod+K'], run: openPanel('commands') },
  { id: 'keys', label: labels.keys, keys: ['?'], run: openPanel('keys') },
];

export const getCommand = (id: string): Command => {
  const command = COMMANDS.find(command => command.id === id);
  if (command === undefined) throw new RangeError(`Unknown command: ${id}`);
  return command;
};

function startRun({ runs, session, view }: EditorContextValue): void {
  const { run, isStarting } = runs.getState();
  if (isStarting || isInProgress(run)) return;
  view.setState({ plan: undefined });
  void runs.start(getPins(session.store.getState().board));
}

/** Pins the displayed results of the selected nodes, or unpins pinned nodes. Calls cannot be pinned. */
function togglePin({ session, runs }: EditorContextValue): void {
  const { store } = session;
  const { nodeDisplays } = runs.getState();
  const { board, selection } = store.getState();
  const changes = board.nodes
    .filter(node => selection.has(node.id) && !isComponentCall(node))
    .flatMap(node => {
      if (getPin(node) !== undefined) return setPin(board, node.id, undefined);
      const result = nodeDisplays.get(node.id);
      return result?.status === 'COMPLETED' ? setPin(board, node.id, result.executionId) : [];
    });
  store.actions.perform(messages.flow.edits.pin, changes);
}

/** Lists the selected nodes that runs execute, also those in selected groups. */
function listSelectedRunnable({ store, catalog }: OpenBoard): readonly GraphNode[] {
  const { board, selection } = store.getState();
  const ids = expandGroups(board, selection);
  return board.nodes.filter(({ id, data }) => ids.has(id) && !isCanvasOnly(catalog.find(data.nodeType)));
}

/** Bypasses the selected nodes, or restores them if all are bypassed. */
function toggleBypass({ session }: EditorContextValue): void {
  const { store } = session;
  const nodes = listSelectedRunnable(session);
  const isOn = !nodes.every(isBypassed);
  const ids = nodes.map(({ id }) => id);
  store.actions.perform(
    messages.flow.edits.bypass(ids.length, isOn),
    setBypassed(store.getState().board, ids, isOn),
  );
}

/** Returns the id of the selected node if it is a model that the user may replace. */
function findSelectedModel({ session }: EditorContextValue): string | undefined {
  const { board, selection } = session.store.getState();
  const [id = ''] = selection;
  if (session.isReadOnly || selection.size !== 1) return undefined;
  const entry = session.catalog.find(findNode(board, id)?.data.nodeType ?? '');
  // Nodes on this machine that can replace a model can be replaced by one again.
  return entry !== undefined && (isModel(entry) || entry.task !== undefined) ? id : undefined;
}

function openReplaceModel(editor: EditorContextValue): void {
  const nodeId = findSelectedModel(editor);
  if (nodeId !== undefined) editor.view.setState({ panel: { kind: 'replace-model', nodeId } });
}

/** Returns the id of the selected node if a seed varies its result. */
function findVariableNode({ session }: EditorContextValue): string | undefined {
  const { board, selection } = session.store.getState();
  const [id = ''] = selection;
  const node = findNode(board, id);
  if (session.isReadOnly || selection.size !== 1 || node === undefined || isBypassed(node)) return undefined;
  return findSeedField(board, session.catalog, node) === undefined ? undefined : id;
}

function openVariations(editor: EditorContextValue): void {
  const nodeId = findVariableNode(editor);
  if (nodeId !== undefined) editor.view.setState({ panel: { kind: 'variations', nodeId } });
}

/** Opens the combinations of the selected node's settings, or of all. */
function openComparison({ session, view }: EditorContextValue): void {
  const [node] = listSelectedRunnable(session);
  const nodeId = node === undefined ? {} : { nodeId: node.id };
  view.setState({ panel: { kind: 'batch', isComparison: true, ...nodeId } });
}

function hasSelectedCall({ session }: EditorContextValue): boolean {
  const { board, selection } = session.store.getState();
  return board.nodes.some(node => selection.has(node.id) && isComponentCall(node));
}

function hasSelectedGroup({ session }: EditorContextValue): boolean {
  const { board, selection } = session.store.getState();
  return listGroupIds(board).some(id => selection.has(id));
}

function copySelected({ session }: EditorContextValue): void {
  const { board, selection } = session.store.getState();
  const text = toClipboardText(board, selection);
  if (text !== undefined) void copyText(text);
}

function cutSelected(editor: EditorContextValue): void {
  copySelected(editor);
  removeSelected(editor);
}

/** Returns whether the browser copies text, instead of the editor copying the selected nodes. */
const isBrowserCopy = (event: ClipboardEvent): boolean =>
  event.clipboardData === null ||
  isEditable(event.target) ||
  document.querySelector('dialog[open]') !== null ||
  String(document.getSelection()) !== '';

/** Handles the browser's copy and cut events, which also work without https. */
export function copyOnEvent(editor: EditorContextValue, event: ClipboardEvent): void {
  const { board, selection } = editor.session.store.getState();
  const text = toClipboardText(board, selection);
  if (text === undefined || isBrowserCopy(event)) return;
  event.clipboardData?.setData('text/plain', text);
  event.preventDefault();
  if (event.type === 'cut') removeSelected(editor);
}

/** With Shift, pasted nodes keep their incoming connections. */
export function pasteOnEvent(
  editor: EditorContextValue,
  event: ClipboardEvent,
  isShiftPressed: boolean,
): void {
  if (isEditable(event.target) || document.querySelector('dialog[open]') !== null) return;
  // Files are imported instead of the text that comes with them.
  if (event.defaultPrevented || getPastedFiles(event).length > 0) return;
  const text = event.clipboardData?.getData('text/plain') ?? '';
  if (pasteText(editor, text, isShiftPressed) || rejectJson(text) || pasteAsNode(editor, text))
    event.preventDefault();
}

/** Shows an error for JSON that is not a workflow. Returns whether the text looks like JSON. */
function rejectJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  showToast(isJson(text) ? messages.flow.pasteNoGraph : messages.flow.pasteBrokenJson, { tone: 'failed' });
  return true;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Pastes text that is not a workflow as a text node. */
function pasteAsNode({ session, canvas }: EditorContextValue, text: string): boolean {
  if (text.trim() === '' || text.length > MAX_PASTED_CHARS) return false;
  const placement = placeText(session, text, canvas.current?.getPastePosition() ?? { x: 0, y: 0 });
  if (placement === undefined) return false;
  session.store.actions.perform(messages.flow.edits.paste(1), placement.changes);
  session.store.actions.select([placement.id]);
  return true;
}

async function pasteFromClipboard(editor: EditorContextValue, keepsIncoming = false): Promise<void> {
  try {
    const text = await navigator.clipboard.readText();
    if (!pasteText(editor, text, keepsIncoming)) rejectJson(text);
  } catch {
    showToast(messages.flow.pasteByKeys, { tone: 'failed' });
  }
}

/** Pastes a workflow at the pointer. */
export function pasteText(editor: EditorContextValue, text: string, keepsIncoming = false): boolean {
  const pasted = parsePastedText(text);
  if (pasted === undefined) return false;
  const center = editor.canvas.current?.getPastePosition() ?? { x: 0, y: 0 };
  pasteGraph(editor, pasted, center, { keepsIncoming });
  return true;
}

/** Adds nodes and edges centered at a position, as one undo step. */
export function pasteGraph(
  { session, canvas }: EditorContextValue,
  pasted: Subgraph,
  center: Position,
  options: { readonly keepsIncoming?: boolean } = {},
): void {
  const { store } = session;
  const offset = findOffset(session, pasted, center);
  const { changes, ids } = paste(store.getState().board, pasted, offset, options);
  store.actions.perform(messages.flow.edits.paste(ids.length), changes);
  store.actions.select(ids);
  canvas.current?.reveal(ids);
}

function duplicate({ session, canvas }: EditorContextValue): void {
  const { store } = session;
  const { board, selection } = store.getState();
  const pasted = parsePastedText(toClipboardText(board, selection) ?? '');
  if (pasted === undefined) return;
  const { changes, ids } = paste(board, pasted, findOffset(session, pasted));
  store.actions.perform(messages.flow.edits.duplicate(ids.length), changes);
  store.actions.select(ids);
  canvas.current?.reveal(ids);
}

/** Returns the offset that moves the nodes to free space: around `center`, or else next to their own position. */
function findOffset({ store, catalog }: OpenBoard, { nodes }: Subgraph, center?: Position): Position {
  const bounds = getBoundingBox(nodes.map(node => getNodeRect(node, catalog)));
  if (bounds === undefined) return { x: 0, y: 0 };
  const { x, y, width, height } = bounds;
  const preferred =
    center === undefined ? { x: x + 40, y: y + 40 } : { x: center.x - width / 2, y: center.y - height / 2 };
  const obstacles = getObstacles(store.getState().board, catalog);
  const space = findFreeSpace(obstacles, { ...preferred, width, height });
  return { x: Math.round(space.x - x), y: Math.round(space.y - y) };
}

function removeSelected({ session, canvas }: EditorContextValue): void {
  const { store } = session;
  const { board, selection } = store.getState();
  const nodeIds = expandGroups(board, selection);
  const nodes = board.nodes.filter(({ id }) => nodeIds.has(id)).map(({ id }) => id);
  const edges = board.edges.filter(({ id }) => selection.has(id)).map(({ id }) => id);
  store.actions.perform(
    messages.flow.edits.delete(nodes.length + edges.length),
    remove(board, { nodes, edges }),
  );
  canvas.current?.focus();
}

function groupSelected({ session: { store, catalog } }: EditorContextValue): void {
  const { board, selection } = store.getState();
  const group = groupNodes(
    board,
    catalog,
    board.nodes.filter(({ id }) => selection.has(id)).map(({ id }) => id),
  );
  if (group === undefined) return;
  store.actions.perform(messages.flow.edits.group, group.changes);
  store.actions.select([group.id]);
}

function ungroupSelected({ session: { store } }: EditorContextValue): void {
  const { board, selection } = store.getState();
  const members = expandGroups(board, selection);
  store.actions.perform(messages.flow.edits.ungroup, ungroupNodes(board, [...selection]));
  store.actions.select(members);
}

/** Edits the label of the focused node, or else of the selected node, in the inspector. */
function renameNode({ session: { store } }: EditorContextValue): void {
  const focusedId = document.activeElement?.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  const edit = (): void => document.querySelector<HTMLInputElement>('[data-rename] input')?.select();
  const { selection } = store.getState();
  if (focusedId === undefined || (selection.size === 1 && selection.has(focusedId))) edit();
  else {
    // Renders the inspector now, so that the next key goes to its field.
    flushSync(() => store.actions.select([focusedId]));
    edit();
  }
}

/** Opens the component of the selected call in place. */
function openSelectedComponent(editor: EditorContextValue): void {
  const [id] = editor.session.store.getState().selection;
  if (id !== undefined) void openComponent(editor, id);
}

function selectAll({ session: { store } }: EditorContextValue): void {
  const { nodes, edges } = store.getState().board;
  store.actions.select([...nodes, ...edges].map(({ id }) => id));
}

function deleteAndReconnect({ session, canvas }: EditorContextValue): void {
  const { store, catalog } = session;
  const { board, selection } = store.getState();
  const nodes = board.nodes.filter(({ id }) => selection.has(id)).map(({ id }) => id);
  if (nodes.length === 0) return;
  const reconnected = detachNodes(board, catalog, nodes);
  const removals = remove(apply(board, reconnected), { nodes });
  store.actions.perform(messages.flow.edits.delete(nodes.length), [...reconnected, ...removals]);
  canvas.current?.focus();
}

function fitSelected({ session, canvas }: EditorContextValue): void {
  const { board, selection } = session.store.getState();
  const ids = board.nodes.filter(({ id }) => selection.has(id)).map(({ id }) => id);
  if (ids.length > 0) canvas.current?.zoomToFit(ids);
}

function createAlignCommands(): readonly Command[] {
  return (['left', 'center', 'right', 'top', 'middle', 'bottom'] as const).map((line: AlignmentLine) => ({
    id: `align-${line}`,
    label: labels.align[line],
    keys: [],
    isAvailable: ({ session: { store, catalog } }) => getSelectedBoxes(store.getState(), catalog).length > 1,
    run: ({ session: { store, catalog } }: EditorContextValue) => {
      const boxes = getSelectedBoxes(store.getState(), catalog);
      if (boxes.length > 1)
        store.actions.perform(messages.flow.edits.align, move(store.getState().board, align(boxes, line)));
    },
  }));
}

function distributeSelected(
  { session: { store, catalog } }: EditorContextValue,
  direction: DistributeDirection,
): void {
  const positions = distribute(getSelectedBoxes(store.getState(), catalog), direction);
  store.actions.perform(messages.flow.edits.distribute, move(store.getState().board, positions));
}

function getSelectedBoxes(
  { board, selection }: BoardState,
  catalog: EditorContextValue['session']['catalog'],
): readonly NodeBox[] {
  return board.nodes
    .filter(({ id }) => selection.has(id))
    .map(node => ({ id: node.id, ...getNodeRect(node, catalog) }));
}

/**
 * Arranges the selected nodes if there are several, otherwise the whole board. Overwrites moves that were made while
 * the layout was computed.
 */
async function arrange({ session, view, canvas }: EditorContextValue): Promise<void> {
  const { store, worker } = session;
  const { board, selection } = store.getState();
  const selectedIds = board.nodes.filter(({ id }) => selection.has(id)).map(({ id }) => id);
  try {
    const layout = await worker.arrange(
      // The layout does not know the sizes of results.
      { ...board, nodes: withPreferredSizes(board.nodes) },
      selectedIds.length > 1 ? selectedIds : undefined,
    );
    store.actions.perform(messages.flow.edits.arrange, toLayoutChanges(store.getState().board, layout));
    view.setState({ announcement: messages.flow.arranged });
    requestAnimationFrame(() => canvas.current?.zoomToFit());
  } catch {
    showToast(messages.flow.notArranged, { tone: 'failed' });
  }
}

function toLayoutChanges(board: Board, { moves, groups }: Layout): readonly Change[] {
  const positions = new Map(moves.map(({ id, position }) => [id, position]));
  const boxes = new Map(groups.map(box => [box.id, box]));
  const resized = replaceNodes(board, [...boxes.keys()], node => {
    const box = boxes.get(node.id);
    if (box === undefined) return node;
    const { measured: _, ...nodeWithoutMeasured } = node;
    positions.delete(node.id);
    const style = { ...(node.style as object), width: box.width, height: box.height };
    return { ...nodeWithoutMeasured, position: box.position, style } as typeof node;
  });
  return [...resized, ...move(board, positions)];
}
