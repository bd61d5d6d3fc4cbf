// Renders the connected apps, with a button to disconnect each.

import Plug from 'icon:plug';
import { useState } from 'react';
import type { Connection } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { type Column, toActionsColumn } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Scopes, Truncated } from '../section.tsx';

const messages = {
  description:
    'Agents and other apps that can use your account. Each one keeps its permissions until you disconnect it.',
  emptyTitle: 'No connected apps',
  empty: (url: string): string =>
    `To connect an MCP agent, give it the URL ${url}. It then asks you for access.`,
  program: 'App',
  host: 'Redirects to',
  permissions: 'Permissions',
  since: 'Connected',
  lastUsed: 'Last used',
  disconnect: 'Disconnect',
  disconnectApp: (name: string): string => `Disconnect ${name}`,
  disconnectTitle: (name: string): string => `Disconnect ${name}?`,
  disconnectText: 'The app loses access to your account within five seconds. It can ask for access again.',
  disconnected: (name: string): string => `${name} was disconnected.`,
} as const;

export function Connections() {
  const list = useList('/connections', { limit: 50 });
  const [connectionToEnd, setConnectionToEnd] = useState<Connection>();
  return (
    <>
      <PageHead title={settingsMessages.parts.connections} />
      <Introduction>{messages.description}</Introduction>
      <TableList
        query={list}
        empty={
          <EmptyState icon={Plug} title={messages.emptyTitle}>
            {messages.empty(`${location.origin}/mcp`)}
          </EmptyState>
        }
        label={settingsMessages.parts.connections}
        columns={createColumns(setConnectionToEnd)}
        getKey={({ id }) => id}
      />
      {connectionToEnd && (
        <DisconnectDialog connection={connectionToEnd} onClose={() => setConnectionToEnd(undefined)} />
      )}
    </>
  );
}

interface DisconnectDialogProps {
  readonly connection: Connection;
  readonly onClose: () => void;
}

function DisconnectDialog({ connection: { id, clientName }, onClose }: DisconnectDialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.disconnectTitle(clientName)}
      action={messages.disconnect}
      onConfirm={async () => {
        await api.delete(`/connections/${id}`);
        await reloadAndToast(messages.disconnected(clientName), ['/connections']);
      }}
      onClose={onClose}
    >
      {messages.disconnectText}
    </ConfirmDialog>
  );
}

const createColumns = (onDisconnect: (connection: Connection) => void): readonly Column<Connection>[] => [
  { title: messages.program, cell: ({ clientName }) => <Truncated text={clientName} /> },
  { title: messages.host, cell: ({ redirectHost }) => <Truncated text={redirectHost} /> },
  { title: messages.permissions, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { title: messages.since, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  {
    title: messages.lastUsed,
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? settingsMessages.never : <RelativeTime time={lastUsedAt} />,
  },
  toActionsColumn(connection => (
    <Button
      size="s"
      aria-label={messages.disconnectApp(connection.clientName)}
      onClick={() => onDisconnect(connection)}
    >
      {messages.disconnect}
    </Button>
  )),
];
