// Handles files dropped or pasted on the board: inserts workflows, uploads media and connects them to the port below.
import { useEffect, useState } from 'react';
import type { Position } from '../../../src/graph/types.ts';
import { getMediaKind, placeMedia, readGraphFile } from '../../board/import-files.ts';
import type { PortRef } from '../../board/wiring.ts';
import { pasteGraph } from '../../canvas/commands.ts';
import { messages } from '../../flow-messages.ts';
import { toErrorMessage } from '../../kit/failure.tsx';
import { upload } from '../../lib/api.ts';
import { isEditing } from '../../lib/editing.ts';
import { showToast } from '../../lib/toasts.ts';
import { type EditorContextValue, useEditor } from '../../runs/editor-context.tsx';

const dropMessages = messages.flow.drop;
const MAX_FILES = 20;
const STEP = 48;

interface Drop {
  readonly at: Position;
  readonly from?: PortRef | undefined;
}

/** `isOver` while files are dragged over the board; `uploading` names the files in progress. */
export function useDrop(): { readonly isOver: boolean; readonly uploading: string | undefined } {
  const editor = useEditor();
  const [isOver, setOver] = useState(false);
  const [uploading, setUploading] = useState<string>();
  useEffect(() => {
    const ends = new AbortController();
    const { signal } = ends;
    const take = (files: Iterable<File>, drop: Drop): void =>
      void importFiles(editor, [...files].slice(0, MAX_FILES), drop, setUploading);
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes('Files') === true &&
      document.querySelector('dialog[open]') === null &&
      // File fields handle their own drops.
      !(event.target as Element).closest('[data-drop]');
    const onOver = (event: DragEvent): void => {
      const isOurs = hasFiles(event);
      if (isOurs) event.preventDefault();
      setOver(isOurs);
    };
    const onDrop = (event: DragEvent): void => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      take(event.dataTransfer?.files ?? [], placeOf(editor, event));
    };
    const onPaste = (event: ClipboardEvent): void => {
      const files = event.clipboardData?.files ?? [];
      if (files.length === 0 || isEditing(event.target) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      take(files, { at: editor.canvas.current?.center() ?? { x: 0, y: 0 } });
    };
    document.addEventListener('dragover', onOver, { signal });
    document.addEventListener('dragleave', event => event.relatedTarget === null && setOver(false), {
      signal,
    });
    document.addEventListener('drop', onDrop, { signal });
    document.addEventListener('paste', onPaste, { signal });
    return () => ends.abort();
  }, [editor]);
  return { isOver, uploading };
}

/** The drop position and the port below it. */
function placeOf({ canvas }: EditorContextValue, event: DragEvent): Drop {
  const at = canvas.current?.toBoard({ x: event.clientX, y: event.clientY }) ?? { x: 0, y: 0 };
  const target = event.target as HTMLElement;
  const handle = target.closest<HTMLElement>('[data-port]')?.dataset.port;
  const nodeId = target.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  return handle?.startsWith('in-') && nodeId !== undefined ? { at, from: { nodeId, handle } } : { at };
}

async function importFiles(
  editor: EditorContextValue,
  files: readonly File[],
  { at, from }: Drop,
  report: (name: string | undefined) => void,
): Promise<void> {
  for (const [index, file] of files.entries()) {
    const place = { x: at.x + index * STEP, y: at.y + index * STEP };
    try {
      report(file.name);
      await importFile(editor, file, index === 0 ? { at: place, from } : { at: place });
    } catch (error) {
      showToast(dropMessages.failed(file.name, toErrorMessage(error)), { tone: 'failed' });
    } finally {
      report(undefined);
    }
  }
}

async function importFile(editor: EditorContextValue, file: File, drop: Drop): Promise<void> {
  const { store } = editor.session;
  const graph = await readGraphFile(file);
  if (graph !== undefined) return pasteGraph(editor, graph, drop.at);
  const kind = getMediaKind(file);
  if (kind === undefined) {
    showToast(dropMessages.unknown(file.name), { tone: 'failed' });
    return;
  }
  const { url } = await upload(file);
  const placed = placeMedia(editor.session, { kind, url, name: file.name }, drop, drop.at);
  if (placed === undefined) return;
  store.actions.perform(messages.flow.edits.add(file.name), placed.changes);
  store.actions.select([placed.id]);
}
