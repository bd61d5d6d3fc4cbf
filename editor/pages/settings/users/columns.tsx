// Defines the columns of the list of users.

import More from 'icon:ellipsis';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { IconButton } from '../../../kit/button.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import type { Column } from '../../../kit/table.tsx';
import { toActionsColumn } from '../../../kit/table.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Badges, SecondaryText, Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import type { ActionKind, UserAction } from './user-dialog.tsx';

export const createColumns = (onAction: (action: UserAction) => void): readonly Column<UserListItem>[] => [
  {
    title: messages.user,
    cell: ({ name, email }) => (
      <>
        <Truncated text={name} />
        <br />
        <SecondaryText>
          <Truncated text={email} />
        </SecondaryText>
      </>
    ),
  },
  { title: messages.state, cell: user => <State {...user} /> },
  { title: messages.plan, cell: ({ plan }) => settingsMessages.planName(plan) },
  {
    title: messages.role,
    cell: ({ isAdmin, isAuthor }) => (
      <Badges>
        {isAdmin && <Badge tone="accent">{messages.admin}</Badge>}
        {isAuthor && <Badge tone="accent">{messages.author}</Badge>}
      </Badges>
    ),
  },
  {
    title: messages.credits,
    align: 'end',
    cell: ({ credits: { balance, held } }) => (
      <>
        {formatNumber(balance)} {held > 0 && <SecondaryText>{messages.reserved(held)}</SecondaryText>}
      </>
    ),
  },
  {
    title: messages.lastSeen,
    cell: ({ lastSeenAt }) =>
      lastSeenAt === null ? settingsMessages.never : <RelativeTime time={lastSeenAt} />,
  },
  toActionsColumn(user => <UserMenu user={user} onAction={onAction} />),
];

function State({ disabled, hasPassword }: UserListItem) {
  if (disabled) return <Badge tone="danger">{messages.disabled}</Badge>;
  return hasPassword ? (
    <Badge tone="success">{messages.active}</Badge>
  ) : (
    <Badge tone="warning">{messages.invited}</Badge>
  );
}

interface UserMenuProps {
  readonly user: UserListItem;
  readonly onAction: (action: UserAction) => void;
}

function UserMenu({ user, onAction }: UserMenuProps) {
  const kinds: readonly ActionKind[] = [
    'change',
    'addCredits',
    user.hasPassword ? 'resetLink' : 'invitationLink',
    ...(user.hasSecondFactor ? (['resetFactor'] as const) : []),
    user.disabled ? 'enable' : 'disable',
    'delete',
  ];
  return (
    <Menu trigger={<IconButton icon={More} size="s" label={messages.actionsOf(user.name)} />}>
      {kinds.map(kind => (
        <MenuItem
          key={kind}
          isDangerous={kind === 'disable' || kind === 'delete'}
          onSelect={() => onAction({ kind, user })}
        >
          {messages[kind]}
        </MenuItem>
      ))}
    </Menu>
  );
}
