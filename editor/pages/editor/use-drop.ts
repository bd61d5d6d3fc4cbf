// Imports files that are dropped or pasted on the board: inserts workflows, uploads media and adds input nodes for them.

import { useEffect, useState } from 'react';
import { getSide } from '../../../src/graph/handles.ts';
import type { Position } from '../../../src/graph/types.ts';
import { findNode } from '../../board/board.ts';
import { getMediaKind, placeMedia } from '../../board/import-files.ts';
import type { PortRef } from '../../board/wiring.ts';
import { pasteGraph } from '../../canvas/commands.ts';
import { messages } from '../../flow-messages.ts';
import { toErrorMessage } from '../../kit/failure.tsx';
import { isEditable } from '../../lib/editable.ts';
import { getPastedFiles } from '../../lib/pasted-files.ts';
import { showToast } from '../../lib/toasts.ts';
import { uploadAndWarn } from '../../lib/upload-file.ts';
import { type EditorContextValue, useEditor } from '../../session/editor-context.tsx';

const dropMessages = messages.flow.drop;
const MAX_FILES = 20;
const OFFSET_STEP = 48;

interface DropTarget {
  readonly position: Position;
  readonly from?: PortRef | undefined;
  /** The node below the pointer. */
  readonly nodeId?: string | undefined;
}

/** Returns whether files are dragged over the board, and the name of the file that is being imported. */
export function useDrop(): { readonly isOver: boolean; readonly importedName: string | undefined } {
  const editor = useEditor();
  const [isOver, setOver] = useState(false);
  const [importedName, setImportedName] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const startImport = (files: Iterable<File>, drop: DropTarget): void =>
      void importFiles(editor, [...files].slice(0, MAX_FILES), drop, setImportedName);
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes('Files') === true &&
      document.querySelector('dialog[open]') === null &&
      // File fields handle their own drops.
      !(event.target as Element).closest('[data-drop]');
    const onOver = (event: DragEvent): void => {
      const isFileDrop = hasFiles(event);
      if (isFileDrop) event.preventDefault();
      setOver(isFileDrop);
    };
    const onDrop = (event: DragEvent): void => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      startImport(event.dataTransfer?.files ?? [], findDropTarget(editor, event));
    };
    const onPaste = (event: ClipboardEvent): void => {
      const files = getPastedFiles(event);
      // A media field has handled its own paste.
      if (files.length === 0 || event.defaultPrevented) return;
      if (isEditable(event.target) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      startImport(files, { position: editor.canvas.current?.getCenter() ?? { x: 0, y: 0 } });
    };
    document.addEventListener('dragover', onOver, { signal });
    document.addEventListener('dragleave', event => event.relatedTarget === null && setOver(false), {
      signal,
    });
    document.addEventListener('drop', onDrop, { signal });
    document.addEventListener('paste', onPaste, { signal });
    return () => controller.abort();
  }, [editor]);
  return { isOver, importedName };
}

/** Returns the drop position, and the input port below it if there is one. */
function findDropTarget({ canvas }: EditorContextValue, event: DragEvent): DropTarget {
  const position = canvas.current?.toBoard({ x: event.clientX, y: event.clientY }) ?? { x: 0, y: 0 };
  const target = event.target as HTMLElement;
  const handle = target.closest<HTMLElement>('[data-port]')?.dataset.port;
  const nodeId = target.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  return handle !== undefined && getSide(handle) === 'in' && nodeId !== undefined
    ? { position, from: { nodeId, handle } }
    : { position, nodeId };
}

async function importFiles(
  editor: EditorContextValue,
  files: readonly File[],
  { position: start, ...first }: DropTarget,
  onProgress: (name: string | undefined) => void,
): Promise<void> {
  for (const [index, file] of files.entries()) {
    const position = { x: start.x + index * OFFSET_STEP, y: start.y + index * OFFSET_STEP };
    try {
      onProgress(file.name);
      await importFile(editor, file, index === 0 ? { position, ...first } : { position });
    } catch (error) {
      showToast(dropMessages.failed(file.name, toErrorMessage(error)), { tone: 'failed' });
    } finally {
      onProgress(undefined);
    }
  }
}

async function importFile(editor: EditorContextValue, file: File, drop: DropTarget): Promise<void> {
  const { store } = editor.session;
  const { nodeId = '' } = drop;
  if (findNode(store.getState().board, nodeId)?.data.nodeType === 'comfyui:workflow') {
    const { loadGraph } = await import('./comfyui/load-graph.ts');
    return loadGraph(editor.session, nodeId, file);
  }
  const { readDroppedGraph } = await import('../../board/foreign-graph.ts');
  const graph = await readDroppedGraph(file);
  if (graph !== undefined) return pasteGraph(editor, graph, drop.position);
  const kind = getMediaKind(file);
  if (kind === undefined) {
    showToast(dropMessages.unknown(file.name), { tone: 'failed' });
    return;
  }
  const { url } = await uploadAndWarn(file);
  const placement = placeMedia(editor.session, { kind, url, name: file.name }, drop, drop.position);
  if (placement === undefined) return;
  store.actions.perform(messages.flow.edits.add(file.name), placement.changes);
  store.actions.select([placement.id]);
  editor.canvas.current?.reveal([placement.id]);
}
