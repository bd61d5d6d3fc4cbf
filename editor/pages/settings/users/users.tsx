// Renders the list of all accounts, with search, invitations, and actions.

import UsersIcon from 'icon:users';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { FilterSelect } from '../../../kit/filter-bar.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { pickFilters, useSearchFilters } from '../../../lib/use-search-filters.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction } from '../section.tsx';
import { ShowOnceDialog } from '../show-once-dialog.tsx';
import { createColumns } from './columns.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { messages } from './messages.ts';
import { type UserAction, UserDialog } from './user-dialog.tsx';

/** A link that is shown once, and its recipient. */
export interface AccountLink {
  readonly name: string;
  readonly url: string;
  /** Whether the service mails the link, too. */
  readonly isMailed: boolean;
}

export function Users() {
  const { search, change } = useSearchFilters();
  const filters = pickFilters(search, ['query', 'disabled']);
  const list = useList('/admin/users', { limit: 50, ...filters });
  const [isInviting, setInviting] = useState(false);
  const [action, setAction] = useState<UserAction>();
  const [link, setLink] = useState<AccountLink>();
  return (
    <>
      <PageHead title={settingsMessages.parts.users}>
        <SearchField
          label={messages.search}
          placeholder={messages.searchHint}
          value={filters.query ?? ''}
          onChange={query => change({ query })}
        />
        <FilterSelect
          label={messages.show}
          value={filters.disabled ?? ''}
          options={[
            ['', messages.shown['']],
            ['false', messages.shown.false],
            ['true', messages.shown.true],
          ]}
          onChange={event => change({ disabled: event.target.value })}
        />
        <Button variant="primary" onClick={() => setInviting(true)}>
          {messages.invite}
        </Button>
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      <TableList
        query={list}
        empty={<NoUsers />}
        label={settingsMessages.parts.users}
        columns={createColumns(setAction)}
        getKey={({ userId }) => userId}
      />
      {isInviting && <InviteDialog onLink={setLink} onClose={() => setInviting(false)} />}
      {action && <UserDialog action={action} onLink={setLink} onClose={() => setAction(undefined)} />}
      {link && <LinkDialog link={link} onClose={() => setLink(undefined)} />}
    </>
  );
}

function NoUsers() {
  return (
    <EmptyState icon={UsersIcon} title={messages.noMatchTitle}>
      {messages.noMatch}
    </EmptyState>
  );
}

function LinkDialog({ link, onClose }: { readonly link: AccountLink; readonly onClose: () => void }) {
  return (
    <ShowOnceDialog
      title={messages.linkTitle}
      text={link.isMailed ? messages.mailedLinkText(link.name) : messages.linkText(link.name)}
      label={messages.link}
      secret={link.url}
      onClose={onClose}
    />
  );
}
