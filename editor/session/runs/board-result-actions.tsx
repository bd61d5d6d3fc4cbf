// Renders the actions of a result on the board: those of every result, and using it for other nodes.
import Blend from 'icon:blend';
import GitCompare from 'icon:git-compare-arrows';
import Import from 'icon:import';
import Lock from 'icon:lock';
import Scaling from 'icon:scaling';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { toHandle } from '../../../src/graph/handles.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { getPorts } from '../../board/catalog.ts';
import { setConfig } from '../../board/edits.ts';
import { placeMedia, placeText } from '../../board/import-files.ts';
import { getNodeRect } from '../../board/node-size.ts';
import { placeNode } from '../../board/placement.ts';
import { findSeedField } from '../../board/seeds.ts';
import { messages } from '../../flow-messages.ts';
import { Button } from '../../kit/button.tsx';
import { getMediaKind } from '../../kit/media-kind.ts';
import { ResultActions } from '../../kit/result-actions.tsx';
import { showToast } from '../../lib/toasts.ts';
import { type EditorContextValue, useBoard, useEditor } from '../editor-context.tsx';
import { performWithToast } from '../undo-toast.ts';
import { findOriginNode } from './origin.ts';
import { type Result, toResultText } from './results.ts';

const { results: resultMessages, seed: seedMessages, edits } = messages.flow;

interface BoardResultActionsProps {
  readonly nodeId: string;
  readonly label: string;
  readonly result: Result;
  readonly executionId: string | undefined;
  /** Closes the dialog that shows the result. */
  readonly onClose: () => void;
  /** Starts a comparison. Absent if there is nothing to compare with. */
  readonly onCompare?: (() => void) | undefined;
}

export function BoardResultActions({
  nodeId,
  label,
  result,
  executionId,
  onClose,
  onCompare,
}: BoardResultActionsProps) {
  const editor = useEditor();
  const { session, view } = editor;
  const board = useBoard(state => state.board);
  const origin = findOriginNode(board, nodeId);
  const seedField = origin && findSeedField(board, session.catalog, origin);
  const upscaler = origin && findUpscaler(editor, origin, result);
  const seed = result.kind === 'media' ? result.seed : undefined;
  const closeAnd = (run: () => void) => (): void => {
    onClose();
    run();
  };
  return (
    <ResultActions
      {...(result.kind === 'media' ? { url: result.url } : { text: toResultText(result) })}
      executionId={executionId}
    >
      {!session.isReadOnly && (
        <>
          <Button size="s" icon={Import} onClick={closeAnd(() => addAsInput(editor, nodeId, label, result))}>
            {resultMessages.useAsInput}
          </Button>
          {origin !== undefined && seedField !== undefined && (
            <Button
              size="s"
              icon={Blend}
              onClick={() => view.setState({ panel: { kind: 'variations', nodeId: origin.id } })}
            >
              {messages.flow.commands.variations}
            </Button>
          )}
          {origin !== undefined && seedField !== undefined && seed != null && (
            <Button size="s" icon={Lock} onClick={() => keepSeed(editor, origin, seedField.id, seed)}>
              {seedMessages.use}
            </Button>
          )}
          {origin !== undefined && upscaler !== undefined && (
            <Button size="s" icon={Scaling} onClick={closeAnd(() => addUpscaler(editor, origin, upscaler))}>
              {resultMessages.upscale}
            </Button>
          )}
        </>
      )}
      {onCompare !== undefined && (
        <Button size="s" icon={GitCompare} onClick={onCompare}>
          {resultMessages.compare}
        </Button>
      )}
    </ResultActions>
  );
}

/** Sets the seed of the node, as one undo step. */
export function keepSeed(
  { session }: EditorContextValue,
  node: GraphNode,
  field: string,
  seed: number,
): void {
  const changes = setConfig(session.store.getState().board, session.catalog, node.id, { [field]: seed });
  const text = seedMessages.used(seed);
  // The node may already use the seed.
  if (changes.length === 0) showToast(text);
  else performWithToast(session, { label: edits.set(seedMessages.label), changes, text });
}

/** Adds an input node with the result to the right of its node. */
function addAsInput(editor: EditorContextValue, nodeId: string, label: string, result: Result): void {
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
  const node = session.store.getState().board.nodes.find(({ id }) => id === nodeId);
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
