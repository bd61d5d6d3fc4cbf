// Renders the user's API keys.

import KeyRound from 'icon:key-round';
import Plus from 'icon:plus';
import { useState } from 'react';
import type { Key } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { type Column, toActionsColumn } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { formatSpent } from '../limit-dialog.tsx';
import { messages as settingsMessages } from '../messages.ts';
import { Day, Introduction, Scopes, Truncated } from '../section.tsx';
import { ShowOnceDialog } from '../show-once-dialog.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyMenu } from './key-menu.tsx';
import { messages } from './messages.ts';

export function Keys() {
  const list = useList('/keys', { limit: 50 });
  const [isCreating, setCreating] = useState(false);
  const [newKey, setNewKey] = useState<string>();
  const button = (
    <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
      {messages.create}
    </Button>
  );
  return (
    <>
      <PageHead title={settingsMessages.parts.keys}>{button}</PageHead>
      <Introduction>{messages.description}</Introduction>
      <TableList
        query={list}
        empty={
          <EmptyState icon={KeyRound} title={messages.emptyTitle}>
            {messages.empty}
          </EmptyState>
        }
        label={settingsMessages.parts.keys}
        columns={COLUMNS}
        getKey={({ id }) => id}
      />
      {isCreating && <CreateKeyDialog onCreated={setNewKey} onClose={() => setCreating(false)} />}
      {newKey !== undefined && (
        <ShowOnceDialog
          title={messages.copyTitle}
          text={messages.copyText}
          label={messages.key}
          secret={newKey}
          onClose={() => setNewKey(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  { title: settingsMessages.name, cell: ({ name }) => <Truncated text={name} /> },
  { title: messages.permissions, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { title: messages.expires, cell: ({ expiresAt }) => <Expiry time={expiresAt} /> },
  {
    title: messages.lastUsed,
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? settingsMessages.never : <RelativeTime time={lastUsedAt} />,
  },
  { title: settingsMessages.limit.thisMonth, align: 'end', cell: formatSpent },
  { title: settingsMessages.created, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  toActionsColumn(key => <KeyMenu apiKey={key} />),
];

function Expiry({ time }: { readonly time: string | null }) {
  if (time === null) return messages.neverExpires;
  if (Date.parse(time) < Date.now()) return <Badge tone="danger">{messages.expired}</Badge>;
  return <Day time={time} />;
}
