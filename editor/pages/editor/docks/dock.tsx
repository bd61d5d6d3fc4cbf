// Renders the panel that is docked beside the board. Only one docked panel is open at a time.

import Close from 'icon:x';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { messages } from '../../../flow-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type DockKind, useEditor, useView } from '../../../session/editor-context.tsx';
import styles from './dock.module.css';

const Automations = lazy(async () => ({ default: (await import('./automations.tsx')).Automations }));
const Library = lazy(async () => ({ default: (await import('./library.tsx')).Library }));
const RunList = lazy(async () => ({ default: (await import('./runs.tsx')).RunList }));
const VersionList = lazy(async () => ({ default: (await import('./versions.tsx')).VersionList }));

const DOCKS: Readonly<Record<DockKind, { readonly title: string; readonly content: ReactNode }>> = {
  automations: { title: messages.flow.tools.automations, content: <Automations /> },
  library: { title: messages.flow.library.title, content: <Library /> },
  runs: { title: messages.flow.runs.title, content: <RunList /> },
  versions: { title: messages.flow.versions.title, content: <VersionList /> },
};

export function Dock() {
  const dock = useView(view => view.dock);
  return dock === undefined ? null : <OpenDock key={dock} kind={dock} />;
}

function OpenDock({ kind }: { readonly kind: DockKind }) {
  const { view, canvas } = useEditor();
  const { title, content } = DOCKS[kind];
  const panel = useRef<HTMLElement>(null);
  const opener = useRef<Element>(document.activeElement);
  useEffect(() => panel.current?.focus(), []);
  const close = (): void => {
    view.setState({ dock: undefined });
    if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    else canvas.current?.focus();
  };
  return (
    <aside
      ref={panel}
      className={styles.dock}
      aria-label={title}
      data-focus-region="dock"
      tabIndex={-1}
      onKeyDown={event => {
        // A dialog of the panel closes by itself.
        const isInDialog = (event.target as Element).closest('dialog') !== null;
        if (event.key !== 'Escape' || event.defaultPrevented || isInDialog) return;
        event.preventDefault();
        close();
      }}
    >
      <header className={styles.head}>
        <h2>{title}</h2>
        <IconButton size="s" icon={Close} label={messages.flow.closeDock(title)} onClick={close} />
      </header>
      <div className={styles.body}>
        <Suspense fallback={<Loading />}>{content}</Suspense>
      </div>
    </aside>
  );
}
