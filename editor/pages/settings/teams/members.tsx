// Renders the members of a team and what they spend. Owners can change roles and limits, and remove members.

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
import { formatSpent, LimitDialog } from '../limit-dialog.tsx';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import { RoleSelect } from './role-select.tsx';

export function Members({ team }: { readonly team: Team }) {
  const path = `/teams/${team.id}/members` as const;
  const list = useList(path, { limit: 100 });
  const ownId = useSession().user.userId;
  const [memberToRemove, setMemberToRemove] = useState<Member>();
  const [memberToLimit, setMemberToLimit] = useState<Member>();
  const columns = [
    createNameColumn(ownId),
    ...(team.role === 'OWNER'
      ? createOwnerColumns(ownId, team, { onRemove: setMemberToRemove, onLimit: setMemberToLimit })
      : [
          { title: settingsMessages.role, cell: ({ role }: Member) => settingsMessages.roles[role] },
          MONTH,
          SINCE,
        ]),
  ];
  return (
    <>
      {list.data?.some(({ fromGroup }) => fromGroup) === true && (
        <Introduction>{messages.groupNote(team.role === 'OWNER')}</Introduction>
      )}
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
      {memberToLimit && (
        <MemberLimitDialog team={team} member={memberToLimit} onClose={() => setMemberToLimit(undefined)} />
      )}
    </>
  );
}

const createNameColumn = (ownId: number): Column<Member> => ({
  title: settingsMessages.name,
  cell: ({ userId, name, fromGroup }) => (
    <>
      <Truncated text={name} /> {userId === ownId && <Badge>{messages.you}</Badge>}{' '}
      {fromGroup && <Badge tone="accent">{messages.fromGroup}</Badge>}
    </>
  ),
});

const SINCE: Column<Member> = {
  title: messages.since,
  cell: ({ createdAt }) => <RelativeTime time={createdAt} />,
};

const MONTH: Column<Member> = {
  title: settingsMessages.limit.thisMonth,
  align: 'end',
  cell: formatSpent,
};

interface MemberActions {
  readonly onRemove: (member: Member) => void;
  readonly onLimit: (member: Member) => void;
}

const createOwnerColumns = (
  ownId: number,
  team: Team,
  { onRemove, onLimit }: MemberActions,
): readonly Column<Member>[] => [
  { title: settingsMessages.role, cell: member => <RoleSelect team={team} member={member} /> },
  MONTH,
  SINCE,
  toActionsColumn(member => (
    <>
      <Button size="s" aria-label={settingsMessages.limit.setOf(member.name)} onClick={() => onLimit(member)}>
        {settingsMessages.limit.set}
      </Button>
      {member.userId !== ownId && !member.fromGroup && (
        <Button size="s" aria-label={messages.removeMemberOf(member.name)} onClick={() => onRemove(member)}>
          {messages.removeMember}
        </Button>
      )}
    </>
  )),
];

function MemberLimitDialog({ team, member, onClose }: RemoveDialogProps) {
  const reloadAndToast = useReloadAndToast();
  const path = `/teams/${team.id}/members`;
  return (
    <LimitDialog
      title={settingsMessages.limit.titleOf(member.name)}
      monthlyCredits={member.monthlyCredits}
      onSave={async monthlyCredits => {
        await api.put(`${path}/${member.userId}/limit`, { monthlyCredits });
        await reloadAndToast(settingsMessages.limit.changed(member.name), [path]);
      }}
      onClose={onClose}
    />
  );
}

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
