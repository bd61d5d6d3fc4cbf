// Renders the user's sessions, with a button to sign out each.

import { useState } from 'react';
import type { ListedSession } from '../../../../sdk/src/schemas.ts';
import { getBrowserName } from '../../../../src/graph/browser-name.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { type Column, toActionsColumn } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Day, Introduction, Truncated } from '../section.tsx';

const messages = {
  description:
    'The places where you are signed in. Sign out any you do not recognize, then change your password.',
  label: 'Your sessions',
  browser: 'Browser',
  address: 'Signed in from',
  lastSeen: 'Last active',
  expires: 'Expires',
  current: 'Current',
  signOut: 'Sign out',
  signOutOf: (browser: string): string => `Sign out of ${browser}`,
  signOutTitle: (browser: string): string => `Sign out of ${browser}?`,
  signOutText: 'The session ends within five seconds. Using it again requires signing in.',
  signedOut: 'The session was signed out.',
} as const;

export function Sessions() {
  const list = useList('/auth/sessions', { limit: 50 });
  const [sessionToEnd, setSessionToEnd] = useState<ListedSession>();
  return (
    <>
      <PageHead title={settingsMessages.parts.sessions} />
      <Introduction>{messages.description}</Introduction>
      <TableList
        query={list}
        empty={null}
        label={messages.label}
        columns={createColumns(setSessionToEnd)}
        getKey={({ id }) => id}
      />
      {sessionToEnd && <SignOutDialog session={sessionToEnd} onClose={() => setSessionToEnd(undefined)} />}
    </>
  );
}

function SignOutDialog({
  session,
  onClose,
}: {
  readonly session: ListedSession;
  readonly onClose: () => void;
}) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.signOutTitle(getBrowserName(session.userAgent))}
      action={messages.signOut}
      onConfirm={async () => {
        await api.delete(`/auth/sessions/${session.id}`);
        await reloadAndToast(messages.signedOut, ['/auth/sessions']);
      }}
      onClose={onClose}
    >
      {messages.signOutText}
    </ConfirmDialog>
  );
}

const createColumns = (onSignOut: (session: ListedSession) => void): readonly Column<ListedSession>[] => [
  { title: messages.browser, cell: ({ userAgent }) => <Truncated text={getBrowserName(userAgent)} /> },
  { title: messages.address, cell: ({ address }) => address },
  { title: settingsMessages.created, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  { title: messages.lastSeen, cell: ({ lastSeenAt }) => <RelativeTime time={lastSeenAt} /> },
  { title: messages.expires, cell: ({ expiresAt }) => <Day time={expiresAt} /> },
  toActionsColumn(session =>
    session.isCurrent ? (
      <Badge tone="success">{messages.current}</Badge>
    ) : (
      <Button
        size="s"
        aria-label={messages.signOutOf(getBrowserName(session.userAgent))}
        onClick={() => onSignOut(session)}
      >
        {messages.signOut}
      </Button>
    ),
  ),
];
