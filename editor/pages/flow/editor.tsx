// Renders the editor page: toolbar, board, inspector, issues, and open panels.
import { useEffect } from 'react';
import { useBoard, useEditor, useView } from '../../board/editor-context.tsx';
import { Canvas } from '../../canvas/canvas.tsx';
import { copyOnEvent, pasteOnEvent } from '../../canvas/commands.ts';
import { isEditing } from '../../canvas/editing.ts';
import { findCommand } from '../../canvas/keys.ts';
import { messages } from '../../flow-messages.ts';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { ConflictNotice } from './conflict-notice.tsx';
import { DiffNotice } from './diff-notice.tsx';
import styles from './editor.module.css';
import { EmptyBoard } from './empty-board.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { Issues } from './issues.tsx';
import notice from './notice.module.css';
import { OutdatedNotice } from './outdated-notice.tsx';
import { Panels } from './panels.tsx';
import { PlanNotice } from './plan-notice.tsx';
import { RunNotice } from './run-notice.tsx';
import { Toolbar } from './toolbar.tsx';
import { useDrop } from './use-drop.ts';
import { useLastPictures } from './use-last-pictures.ts';
import { useRemoteChanges } from './use-remote-changes.ts';
import { useSelectionShared } from './use-selection-shared.ts';

export function Editor() {
  const drop = useDrop();
  useRemoteChanges();
  useLastPictures();
  useSelectionShared();
  const name = useBoard(({ board }) => String(board.fields.name ?? ''));
  const announcement = useView(view => view.announcement);
  usePageTitle(name);
  useKeys();
  return (
    <div className={styles.editor}>
      <Toolbar />
      <div className={styles.board}>
        <Canvas />
        <EmptyBoard />
        <div className={styles.notices}>
          <ConflictNotice />
          {drop.isOver && <p className={notice.notice}>{messages.flow.drop.here}</p>}
          {drop.uploading !== undefined && (
            <p role="status" className={notice.notice}>
              {messages.flow.drop.uploading(drop.uploading)}
            </p>
          )}
          <OutdatedNotice />
          <DiffNotice />
          <PlanNotice />
          <RunNotice />
        </div>
        <Issues />
        <Inspector />
      </div>
      <Panels />
      <VisuallyHidden>
        <span role="log" aria-label={messages.flow.announcements}>
          {announcement}
        </span>
      </VisuallyHidden>
    </div>
  );
}

/** Handles shortcuts wherever the focus is, except in fields and dialogs. */
function useKeys(): void {
  const editor = useEditor();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open], [role="menu"]') !== null) return;
      const command = findCommand(event);
      if (command === undefined) return;
      if (isEditing(event.target) && !GLOBAL_COMMANDS.has(command.id)) return;
      // If text on the page is selected, the browser copies it.
      if (command.id === 'copy' || command.id === 'cut') return;
      event.preventDefault();
      command.run(editor);
    };
    const onCopy = (event: ClipboardEvent): void => copyOnEvent(editor, event);
    const onPaste = (event: ClipboardEvent): void => pasteOnEvent(editor, event);
    window.addEventListener('keydown', onKeyDown);
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [editor]);
}

/** Commands that also work while a field has the focus. */
const GLOBAL_COMMANDS: ReadonlySet<string> = new Set(['run', 'save']);
