// Renders all teams of the instance, with their credits and actions to fund them and set budgets.

import More from 'icon:ellipsis';
import UsersIcon from 'icon:users';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { InstanceTeam } from '../../../../sdk/src/schemas.ts';
import { IconButton } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import { type Column, toActionsColumn } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { pickFilters, useSearchFilters } from '../../../lib/use-search-filters.ts';
import { CreditsDialog } from '../credits-dialog.tsx';
import { messages as settingsMessages } from '../messages.ts';
import { Day, Introduction, SecondaryText, Truncated } from '../section.tsx';
import { BudgetsDialog } from './budgets-dialog.tsx';
import { messages } from './messages.ts';

interface TeamAction {
  readonly kind: 'credits' | 'budgets';
  readonly team: InstanceTeam;
}

export function AllTeams() {
  const { search, change } = useSearchFilters();
  const filters = pickFilters(search, ['query']);
  const list = useList('/admin/teams', { limit: 50, ...filters });
  const [action, setAction] = useState<TeamAction>();
  const close = (): void => setAction(undefined);
  return (
    <>
      <PageHead title={settingsMessages.parts['all-teams']}>
        <SearchField
          label={messages.search}
          placeholder={messages.searchHint}
          value={filters.query ?? ''}
          onChange={query => change({ query })}
        />
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      <NewUsersHint />
      <TableList
        query={list}
        empty={<NoTeams isSearch={filters.query !== undefined} />}
        label={settingsMessages.parts['all-teams']}
        columns={createColumns(setAction)}
        getKey={({ id }) => id}
      />
      {action?.kind === 'credits' && <TeamCreditsDialog team={action.team} onClose={close} />}
      {action?.kind === 'budgets' && <BudgetsDialog team={action.team} onClose={close} />}
    </>
  );
}

function NewUsersHint() {
  const { data } = useQuery(apiQuery(['/admin/plans']));
  const plan = data?.plans.find(({ isDefault }) => isDefault);
  if (data === undefined || plan === undefined) return null;
  return (
    <Introduction>
      {messages.newUsers(settingsMessages.planName(plan.name), data.newAccountCredits)}
    </Introduction>
  );
}

function NoTeams({ isSearch }: { readonly isSearch: boolean }) {
  const [title, text] = isSearch
    ? [messages.noMatchTitle, messages.noMatch]
    : [messages.emptyTitle, messages.empty];
  return (
    <EmptyState icon={UsersIcon} title={title}>
      {text}
    </EmptyState>
  );
}

const createColumns = (onAction: (action: TeamAction) => void): readonly Column<InstanceTeam>[] => [
  { title: messages.team, cell: ({ name }) => <Truncated text={name} /> },
  {
    title: messages.owners,
    cell: ({ owners }) => <Truncated text={owners.length === 0 ? messages.noOwner : owners.join(', ')} />,
  },
  { title: messages.members, align: 'end', cell: ({ members }) => formatNumber(members) },
  {
    title: messages.balance,
    align: 'end',
    cell: ({ credits: { balance, held } }) => (
      <>
        {formatNumber(balance)} {held > 0 && <SecondaryText>{messages.reserved(held)}</SecondaryText>}
      </>
    ),
  },
  { title: messages.spent, align: 'end', cell: ({ spentThisMonth }) => formatNumber(spentThisMonth) },
  { title: messages.created, cell: ({ createdAt }) => <Day time={createdAt} /> },
  toActionsColumn(team => <TeamMenu team={team} onAction={onAction} />),
];

interface TeamMenuProps {
  readonly team: InstanceTeam;
  readonly onAction: (action: TeamAction) => void;
}

function TeamMenu({ team, onAction }: TeamMenuProps) {
  const [, navigate] = useLocation();
  return (
    <Menu trigger={<IconButton icon={More} size="s" label={messages.actionsOf(team.name)} />}>
      <MenuItem onSelect={() => onAction({ kind: 'credits', team })}>{messages.addCredits}</MenuItem>
      <MenuItem onSelect={() => onAction({ kind: 'budgets', team })}>{messages.budgets}</MenuItem>
      <MenuItem onSelect={() => navigate(`/executions?of=instance&teamId=${team.id}`)}>
        {messages.viewRuns}
      </MenuItem>
    </Menu>
  );
}

interface DialogProps {
  readonly team: InstanceTeam;
  readonly onClose: () => void;
}

function TeamCreditsDialog({ team: { id, name }, onClose }: DialogProps) {
  return (
    <CreditsDialog
      account={{ teamId: id }}
      name={name}
      title={messages.addTitle(name)}
      submitText={messages.addCredits}
      affectedQueries={['/admin/teams', '/admin/overview', '/credits', 'session']}
      onClose={onClose}
    />
  );
}
