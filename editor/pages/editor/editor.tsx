// Renders the editor page: toolbar, board, inspector, issues, and open panels.

import { useState } from 'react';
import { Canvas } from '../../canvas/canvas.tsx';
import { messages } from '../../flow-messages.ts';
import { usePageTitle } from '../../kit/page-head.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { useFirstSteps } from '../../lib/first-steps.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { useMediaQuery } from '../../lib/use-visibility.ts';
import { useBoard, useEditor, useView } from '../../session/editor-context.tsx';
import { ComponentNotice } from './component/component-notice.tsx';
import { useReturn } from './component/use-return.ts';
import { ConflictNotice } from './conflict-notice.tsx';
import { DiffNotice } from './diff-notice.tsx';
import { Dock } from './docks/dock.tsx';
import styles from './editor.module.css';
import { Inspector } from './inspector/inspector.tsx';
import { Issues } from './issues.tsx';
import notice from './notice.module.css';
import { OutdatedNotice } from './outdated-notice.tsx';
import { Outline, PhoneViews } from './outline.tsx';
import { Panels } from './panels.tsx';
import { PlanNotice } from './plan-notice.tsx';
import { ProviderNotice } from './provider-notice.tsx';
import { RunNotice } from './run-notice.tsx';
import { SampleNotice } from './sample-notice.tsx';
import { Toolbar } from './toolbar.tsx';
import { useDrop } from './use-drop.ts';
import { useRemoteChanges } from './use-remote-changes.ts';
import { useResultImages } from './use-result-images.ts';
import { useShareSelection } from './use-share-selection.ts';

/** Windows up to this width have no space for the canvas. They show the outline instead. */
const PHONE = '(max-width: 48rem)';

const BoardFirstSteps = lazyComponent<{ readonly isPhone: boolean }>(
  async () => (await import('./board-first-steps.tsx')).BoardFirstSteps,
  () => null,
);

const EmptyBoard = lazyComponent(async () => (await import('./empty-board.tsx')).EmptyBoard);

/** A board with only notes and group frames counts as empty. */
const ANNOTATION_TYPES: ReadonlySet<string> = new Set(['stickyNote', 'groupFrame']);

export function Editor() {
  const { trail } = useEditor();
  const drop = useDrop();
  useReturn();
  useRemoteChanges();
  useResultImages();
  useShareSelection();
  const name = useBoard(({ board }) => String(board.fields.name ?? ''));
  const isEmpty = useBoard(({ board }) => board.nodes.every(({ type }) => ANNOTATION_TYPES.has(type)));
  const announcement = useView(view => view.announcement);
  usePageTitle(name);
  const isFirstStepsOpen = useFirstSteps(({ isOpen }) => isOpen);
  const isPhone = useMediaQuery(PHONE);
  const [isCanvas, setCanvas] = useState(false);
  return (
    <div className={styles.editor}>
      <Toolbar />
      <div className={styles.body}>
        <Dock />
        {isPhone && <PhoneViews isCanvas={isCanvas} onChange={setCanvas} />}
        {isPhone && !isCanvas ? (
          <Outline />
        ) : (
          <div className={styles.board}>
            <Canvas />
            {isEmpty && <EmptyBoard />}
          </div>
        )}
        {/* Notices are beside the board, so that they never cover a node. */}
        <div className={styles.notices} data-focus-region="notices">
          <ConflictNotice />
          {drop.isOver && <p className={notice.notice}>{messages.flow.drop.here}</p>}
          {drop.importedName !== undefined && (
            <p role="status" className={notice.notice}>
              {messages.flow.drop.uploading(drop.importedName)}
            </p>
          )}
          <OutdatedNotice />
          {trail.length > 0 && <ComponentNotice />}
          <ProviderNotice />
          <DiffNotice />
          <PlanNotice />
          <RunNotice />
          <SampleNotice />
          {isFirstStepsOpen && <BoardFirstSteps isPhone={isPhone} />}
          <Issues />
        </div>
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
