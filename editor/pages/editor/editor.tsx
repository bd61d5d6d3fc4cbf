// Renders the editor page: toolbar, board, inspector, issues, and open panels.

import { useState } from 'react';
import { ANNOTATION_TYPES } from '../../board/first-note.ts';
import { Canvas } from '../../canvas/canvas.tsx';
import { messages } from '../../flow-messages.ts';
import { Banner } from '../../kit/banner.tsx';
import { usePageTitle } from '../../kit/page-head.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { useFirstSteps } from '../../lib/first-steps.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { PHONE, useMediaQuery } from '../../lib/use-visibility.ts';
import { useBoard, useEditor, useView } from '../../session/editor-context.tsx';
import { useResultImages } from './add-node/use-result-images.ts';
import { ComponentBanner } from './banners/component-banner.tsx';
import { ConflictBanner } from './banners/conflict-banner.tsx';
import { DiffBanner } from './banners/diff-banner.tsx';
import { OutdatedBanner } from './banners/outdated-banner.tsx';
import { PlanBanner } from './banners/plan-banner.tsx';
import { ProviderBanner } from './banners/provider-banner.tsx';
import { RunBanner } from './banners/run-banner.tsx';
import { SampleBanner } from './banners/sample-banner.tsx';
import { useReturn } from './component/use-return.ts';
import { Dock } from './docks/dock.tsx';
import styles from './editor.module.css';
import { Inspector } from './inspector/inspector.tsx';
import { Issues } from './issues/issues.tsx';
import { Outline, PhoneViews } from './outline/outline.tsx';
import { Panels } from './panels.tsx';
import { useRemoteChanges } from './presence/use-remote-changes.ts';
import { useShareSelection } from './presence/use-share-selection.ts';
import { Toolbar } from './toolbar/toolbar.tsx';
import { useBoardLink } from './use-board-link.ts';
import { useDrop } from './use-drop.ts';

const BoardFirstSteps = lazyComponent<{ readonly isPhone: boolean }>(
  async () => (await import('./board-first-steps.tsx')).BoardFirstSteps,
  () => null,
);

const BoardMenu = lazyComponent(async () => (await import('../../canvas/board-menu.tsx')).BoardMenu);

const EmptyBoard = lazyComponent(async () => (await import('./empty-board/empty-board.tsx')).EmptyBoard);

export function Editor() {
  const { trail } = useEditor();
  const drop = useDrop();
  useReturn();
  useBoardLink();
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
        {/* Banners are beside the board, so that they never cover a node. */}
        <div className={styles.banners} data-focus-region="banners">
          <ConflictBanner />
          {drop.isOver && <Banner>{messages.flow.drop.here}</Banner>}
          {drop.importedName !== undefined && (
            <Banner role="status">{messages.flow.drop.uploading(drop.importedName)}</Banner>
          )}
          <OutdatedBanner />
          {trail.length > 0 && <ComponentBanner />}
          <ProviderBanner />
          <DiffBanner />
          <PlanBanner />
          <RunBanner />
          <SampleBanner />
          {isFirstStepsOpen && <BoardFirstSteps isPhone={isPhone} />}
          <Issues />
        </div>
        <Inspector />
      </div>
      <BoardMenu />
      <Panels />
      <VisuallyHidden>
        <span role="log" aria-label={messages.flow.announcements}>
          {announcement}
        </span>
      </VisuallyHidden>
    </div>
  );
}
