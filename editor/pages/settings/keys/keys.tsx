// Renders the user's API keys.

import KeyRound from 'icon:key-round';
import Plus from 'icon:plus';
import { useState } from 'react';
import type { Key } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { Ago } from '../../../kit/time.tsx';
import { texts as shared } from '../messages.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { Day, Lead, Rights, Truncated } from '../section.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyMenu } from './key-menu.tsx';
import { texts } from './messages.ts';

export function Keys() {
  const list = useList<Key>('/keys', { limit: 50 });
  const [isCreating, setCreating] = useState(false);
  const [made, show] = useState<string>();
  const button = (
    <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHead title={shared.parts.keys}>{button}</PageHead>
      <Lead>{texts.lead}</Lead>
      <InfiniteList
        query={list}
        empty={
          <EmptyState icon={KeyRound} title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {keys => <Table label={shared.parts.keys} columns={COLUMNS} rows={keys} getKey={({ id }) => id} />}
      </InfiniteList>
      {isCreating && <CreateKeyDialog onMade={show} onClose={() => setCreating(false)} />}
      {made !== undefined && (
        <SecretDialog
          title={texts.shownTitle}
          text={texts.shownText}
          label={texts.key}
          secret={made}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  { title: shared.name, cell: ({ name }) => <Truncated text={name} /> },
  { title: texts.rights, cell: ({ scopes }) => <Rights scopes={scopes} /> },
  { title: texts.expires, cell: ({ expiresAt }) => <Expiry time={expiresAt} /> },
  {
    title: texts.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? shared.never : <Ago time={lastUsedAt} />),
  },
  { title: shared.created, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  { title: shared.actions, isTitleHidden: true, align: 'end', cell: key => <KeyMenu apiKey={key} /> },
];

function Expiry({ time }: { readonly time: string | null }) {
  if (time === null) return texts.neverExpires;
  if (Date.parse(time) < Date.now()) return <Badge tone="danger">{texts.expired}</Badge>;
  return <Day time={time} />;
}
