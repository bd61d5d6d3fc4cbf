// Renders the share dialog: people, publishing and the app, each in a tab with its buttons at the bottom.
import { useCallback, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { AppTab } from './app/app-tab.tsx';
import styles from './dialogs.module.css';
import { dialogMessages } from './messages.ts';
import { PeopleTab } from './people.tsx';
import { PublishTab } from './publish.tsx';
import { RestrictedDialog } from './restricted-dialog.tsx';

const shareMessages = dialogMessages.share;
const TABS = { people: PeopleTab, publish: PublishTab, app: AppTab } as const;

export interface ShareTabProps {
  readonly workflow: WorkflowInfo;
  /** The API path of the workflow. */
  readonly path: `/workflows/${string}`;
  /** Renders the buttons of the tab in the footer, where they stay visible while the dialog scrolls. */
  readonly renderActions: (buttons: React.ReactNode) => React.ReactNode;
  /** Reports whether closing the tab would lose changes. */
  readonly onEdit: (hasChanges: boolean) => void;
}

export function ShareDialog({ onClose }: { readonly onClose: () => void }) {
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  const [tab, setTab] = useState<keyof typeof TABS>('people');
  const Tab = TABS[tab];
  // A ref, because state would be set too late for a key that is pressed right after an edit.
  const hasChanges = useRef(false);
  const updateHasChanges = useCallback((value: boolean) => {
    hasChanges.current = value;
  }, []);
  const [pendingExit, setPendingExit] = useState<() => void>();
  const exit = (leave: () => void): void => (hasChanges.current ? setPendingExit(() => leave) : leave());
  return (
    <>
      <RestrictedDialog
        title={shareMessages.title}
        isAllowed={({ userRole }) => userRole === 'OWNER'}
        refusal={shareMessages.ownersOnly}
        size={tab === 'app' ? 'xl' : 'm'}
        onClose={() => exit(onClose)}
        actions={<div ref={setFooter} className={styles.actions} />}
      >
        {(workflow, path) => (
          <div className={styles.tabs}>
            <Tabs
              label={shareMessages.title}
              value={tab}
              onChange={next => exit(() => setTab(next))}
              tabs={shareMessages.tabs}
            >
              <Tab
                workflow={workflow}
                path={path}
                renderActions={buttons => footer && createPortal(buttons, footer)}
                onEdit={updateHasChanges}
              />
            </Tabs>
          </div>
        )}
      </RestrictedDialog>
      {pendingExit !== undefined && (
        <ConfirmDialog
          title={shareMessages.discardTitle}
          action={shareMessages.discard}
          onConfirm={async () => {
            // The effect of the closed tab that resets it can run after the next click.
            hasChanges.current = false;
            pendingExit();
          }}
          onClose={() => setPendingExit(undefined)}
        >
          {shareMessages.discardText}
        </ConfirmDialog>
      )}
    </>
  );
}
