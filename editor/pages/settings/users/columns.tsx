// Defines the columns of the list of users.

import More from 'icon:ellipsis';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { IconButton } from '../../../kit/button.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import type { Column } from '../../../kit/table.tsx';
import { Ago } from '../../../kit/time.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { texts as shared } from '../messages.ts';
import { Badges, Soft, Truncated } from '../section.tsx';
import { texts } from './messages.ts';
import type { ActionKind, UserAction } from './user-dialog.tsx';

export const columnsOf = (act: (action: UserAction) => void): readonly Column<UserListItem>[] => [
  {
    title: texts.user,
    cell: ({ name, email }) => (
      <>
        <Truncated text={name} />
        <br />
        <Soft>
          <Truncated text={email} />
        </Soft>
      </>
    ),
  },
  { title: texts.state, cell: user => <State {...user} /> },
  { title: texts.plan, cell: ({ plan }) => plan },
  {
    title: texts.rights,
    cell: ({ isAdmin, isAuthor }) => (
      <Badges>
        {isAdmin && <Badge tone="accent">{texts.admin}</Badge>}
        {isAuthor && <Badge tone="accent">{texts.author}</Badge>}
      </Badges>
    ),
  },
  {
    title: texts.credits,
    align: 'end',
    cell: ({ credits: { balance, held } }) => (
      <>
        {formatNumber(balance)} {held > 0 && <Soft>{texts.held(held)}</Soft>}
      </>
    ),
  },
  {
    title: texts.lastSeen,
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? shared.never : <Ago time={lastSeenAt} />),
  },
  {
    title: shared.actions,
    isTitleHidden: true,
    align: 'end',
    cell: user => <UserMenu user={user} act={act} />,
  },
];

function State({ disabled, hasPassword }: UserListItem) {
  if (disabled) return <Badge tone="danger">{texts.disabled}</Badge>;
  return hasPassword ? (
    <Badge tone="success">{texts.active}</Badge>
  ) : (
    <Badge tone="warning">{texts.invited}</Badge>
  );
}

interface UserMenuProps {
  readonly user: UserListItem;
  readonly act: (action: UserAction) => void;
}

function UserMenu({ user, act }: UserMenuProps) {
  const kinds: readonly ActionKind[] = [
    'change',
    'grant',
    'passwordLink',
    user.disabled ? 'enable' : 'disable',
  ];
  return (
    <Menu trigger={<IconButton icon={More} size="s" label={texts.actionsOf(user.name)} />}>
      {kinds.map(kind => (
        <MenuItem key={kind} isDangerous={kind === 'disable'} onSelect={() => act({ kind, user })}>
          {texts[kind]}
        </MenuItem>
      ))}
    </Menu>
  );
}
