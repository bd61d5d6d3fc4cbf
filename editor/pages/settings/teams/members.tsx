// Renders the members of a team. Owners can change roles and remove members.

import { useState } from 'react';
import type { Member, Team } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { type Column, toActionsColumn } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import { RoleSelect } from './role-select.tsx';

export function Members({ team }: { readonly team: Team }) {
  const path = `/teams/${team.id}/members` as const;
  const list = useList(path, { limit: 100 });
  const ownId = useSession().user.userId;
  const [memberToRemove, setMemberToRemove] = useState<Member>();
  const columns = [
    createNameColumn(ownId),
    ...(team.role === 'OWNER'
      ? createOwnerColumns(ownId, team, setMemberToRemove)
      : [{ title: settingsMessages.role, cell: ({ role }: Member) => settingsMessages.roles[role] }, SINCE]),
  ];
  return (
    <>
      <TableList
        query={list}
        empty={null}
        label={messages.members(team.name)}
        columns={columns}
        getKey={member => member.userId}
      />
      {memberToRemove && (
        <RemoveDialog team={team} member={memberToRemove} onClose={() => setMemberToRemove(undefined)} />
      )}
    </>
  );
}

const createNameColumn = (ownId: number): Column<Member> => ({
  title: settingsMessages.name,
  cell: ({ userId, name }) => (
    <>
      <Truncated text={name} /> {userId === ownId && <Badge>{messages.you}</Badge>}
    </>
  ),
});

const SINCE: Column<Member> = {
  title: messages.since,
  cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
};

const createOwnerColumns = (
  ownId: number,
  team: Team,
  onRemove: (member: Member) => void,
): readonly Column<Member>[] => [
  { title: settingsMessages.role, cell: member => <RoleSelect team={team} member={member} /> },
  SINCE,
  toActionsColumn(
    member =>
      member.userId !== ownId && (
        <Button size="s" aria-label={messages.removeMemberOf(member.name)} onClick={() => onRemove(member)}>
          {messages.removeMember}
        </Button>
      ),
  ),
];

interface RemoveDialogProps {
  readonly team: Team;
  readonly member: Member;
  readonly onClose: () => void;
}

function RemoveDialog({ team, member: { userId, name }, onClose }: RemoveDialogProps) {
  const reloadAndToast = useReloadAndToast();
  const path = `/teams/${team.id}/members`;
  return (
    <ConfirmDialog
      title={messages.removeMemberTitle(name, team.name)}
      action={messages.removeMember}
      onConfirm={async () => {
        await api.delete(`${path}/${userId}`);
        await reloadAndToast(messages.memberRemoved(name), [path]);
      }}
      onClose={onClose}
    >
      {messages.removeMemberText}
    </ConfirmDialog>
  );
}
