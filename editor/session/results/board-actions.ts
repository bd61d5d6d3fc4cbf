// Performs the actions of a result on the board: uses it for other nodes, varies, upscales and compares it.
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { toHandle } from '../../../src/graph/handles.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { findNode } from '../../board/board.ts';
import { getPorts } from '../../board/catalog.ts';
import { setConfig } from '../../board/edits.ts';
import { placeMedia, placeText } from '../../board/import-files.ts';
import { getNodeRect } from '../../board/node-size.ts';
import { placeNode } from '../../board/placement.ts';
import { findSeedField } from '../../board/seeds.ts';
import { messages } from '../../flow-messages.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import { showToast } from '../../lib/toasts.ts';
import type { EditorContextValue } from '../editor-context.tsx';
import { findOriginNode } from '../runs/origin.ts';
import { type Result, toResultText } from '../runs/results.ts';
import { performWithToast } from '../undo-toast.ts';
import type { BoardAction } from './board-link.ts';

const { seed: seedMessages, edits } = messages.flow;

export interface BoardResult {
  /** The node that shows the result. It may no longer be on the board. */
  readonly nodeId: string;
  readonly label: string;
  readonly result: Result;
}

type BoardActions = Readonly<Partial<Record<Exclude<BoardAction, 'compare'>, () => void>>>;

/** Returns what the open board can do with the result. */
export function findBoardActions(editor: EditorContextValue, target: BoardResult): BoardActions {
  const { session, view } = editor;
  if (session.isReadOnly) return {};
  const { nodeId, result } = target;
  const { board } = session.store.getState();
  const origin = findOriginNode(board, nodeId);
  const use = (): void => addAsInput(editor, target);
  if (origin === undefined) return { use };
  const seedField = findSeedField(board, session.catalog, origin);
  const seed = result.kind === 'media' ? result.seed : undefined;
  const upscaler = findUpscaler(editor, origin, result);
  return {
    use,
    ...(seedField !== undefined && {
      vary: () => view.setState({ panel: { kind: 'variations', nodeId: origin.id } }),
    }),
    ...(seedField !== undefined &&
      seed != null && { keepSeed: () => keepSeed(editor, origin, seedField.id, seed) }),
    ...(upscaler !== undefined && { upscale: () => addUpscaler(editor, origin, upscaler) }),
  };
}

/** Returns the actions that first close the dialog which shows the result. */
export const closeFirst = ({ use, upscale, ...others }: BoardActions, onClose: () => void): BoardActions => {
  const closeAnd = (run: () => void) => (): void => {
    onClose();
    run();
  };
  return { ...others, ...(use && { use: closeAnd(use) }), ...(upscale && { upscale: closeAnd(upscale) }) };
};

/** Sets the seed of the node, as one undo step. */
function keepSeed({ session }: EditorContextValue, node: GraphNode, field: string, seed: number): void {
  const changes = setConfig(session.store.getState().board, session.catalog, node.id, { [field]: seed });
  const text = seedMessages.used(seed);
  // The node may already use the seed.
  if (changes.length === 0) showToast(text);
  else performWithToast(session, { label: edits.set(seedMessages.label), changes, text });
}

/** Adds an input node with the result to the right of its node, or to the center of the view. */
function addAsInput(editor: EditorContextValue, { nodeId, label, result }: BoardResult): void {
  const { session, canvas } = editor;
  const fallback = findPlaceBeside(editor, nodeId);
  const kind = result.kind === 'media' ? getMediaKind(result) : undefined;
  const placement =
    result.kind === 'media'
      ? kind && placeMedia(session, { kind, url: result.url, name: label }, {}, fallback)
      : placeText(session, toResultText(result), fallback);
  if (placement === undefined) return;
  session.store.actions.perform(edits.add(label), placement.changes);
  session.store.actions.select([placement.id]);
  canvas.current?.focusNode(placement.id);
}

const GAP = 220;

function findPlaceBeside({ session, canvas }: EditorContextValue, nodeId: string) {
  const node = findNode(session.store.getState().board, nodeId);
  if (node === undefined) return canvas.current?.getCenter() ?? { x: 0, y: 0 };
  const { x, y, width, height } = getNodeRect(node, session.catalog);
  return { x: x + width + GAP, y: y + height / 2 };
}

/** Returns the cheapest model that can upscale the result and that this workspace can run. */
function findUpscaler(
  { session: { catalog } }: EditorContextValue,
  origin: GraphNode,
  result: Result,
): { readonly entry: CatalogEntry; readonly port: string } | undefined {
  const kind = result.kind === 'media' ? getMediaKind(result) : undefined;
  const type = kind === 'image' ? 'IMAGE' : kind === 'video' ? 'VIDEO' : undefined;
  const port = getPorts(catalog, origin).outputs.find(output => output.isPort && output.type === type);
  if (type === undefined || port === undefined) return undefined;
  const [entry] = catalog.entries
    .filter(
      ({ task, outputs, isAvailable, hidden, deprecated }) =>
        task === 'upscale' && outputs[0]?.type === type && isAvailable !== false && !hidden && !deprecated,
    )
    .sort((a, b) => (a.estimatedCredits ?? 1e9) - (b.estimatedCredits ?? 1e9));
  return entry && { entry, port: port.id };
}

/** Adds a node of the model that is connected to the result's node. */
function addUpscaler(
  editor: EditorContextValue,
  { id: nodeId }: GraphNode,
  { entry, port }: { readonly entry: CatalogEntry; readonly port: string },
): void {
  const { session, canvas } = editor;
  const from = { nodeId, handle: toHandle('out', port) };
  const { id, changes } = placeNode(session, entry, { from }, findPlaceBeside(editor, nodeId));
  session.store.actions.perform(edits.add(entry.label), changes);
  session.store.actions.select([id]);
  canvas.current?.focusNode(id);
}
