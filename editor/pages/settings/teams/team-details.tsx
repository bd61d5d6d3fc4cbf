// Renders a team: members, and actions of owners and members.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { useSession } from '../../../lib/session.ts';
import { RenameDialog } from '../rename-dialog.tsx';
import { Section } from '../section.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { Members } from './members.tsx';
import { messages } from './messages.ts';
import { SentInvitations } from './sent-invitations.tsx';

interface TeamDetailsProps {
  readonly id: string;
  /** Called after it was deleted or left. */
  readonly onGone: () => void;
}

export function TeamDetails({ id, onGone }: TeamDetailsProps) {
  const path = `/teams/${id}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['/teams', id],
    queryFn: ({ signal }) => api.get<Team>(path, { signal }),
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return <Details team={data} onGone={onGone} />;
}

type Open = 'invite' | 'rename' | 'leave' | 'remove';

function Details({ team, onGone }: { readonly team: Team; readonly onGone: () => void }) {
  const [open, setOpen] = useState<Open>();
  const buttons = team.role === 'OWNER' ? OWNERS : MEMBERS;
  return (
    <>
      <Section
        title={messages.members(team.name)}
        actions={buttons.map(([kind, text]) => (
          <Button key={kind} variant={kind === 'invite' ? 'primary' : 'plain'} onClick={() => setOpen(kind)}>
            {text}
          </Button>
        ))}
      >
        <Members team={team} />
        <TeamDialog team={team} open={open} onGone={onGone} onClose={() => setOpen(undefined)} />
      </Section>
      {team.role === 'OWNER' && <SentInvitations team={team} />}
    </>
  );
}

const MEMBERS: readonly (readonly [kind: Open, text: string])[] = [['leave', messages.leave]];
const OWNERS: readonly (readonly [kind: Open, text: string])[] = [
  ['invite', messages.invite],
  ['rename', messages.rename],
  ['leave', messages.leave],
  ['remove', messages.remove],
];

interface TeamDialogProps {
  readonly team: Team;
  readonly open: Open | undefined;
  readonly onGone: () => void;
  readonly onClose: () => void;
}

function TeamDialog({ team, open, onGone, onClose }: TeamDialogProps) {
  const finishChange = useFinishChange();
  const path = `/teams/${team.id}`;
  if (open === 'invite') return <InviteDialog team={team} onClose={onClose} />;
  if (open === 'rename')
    return (
      <RenameDialog
        title={messages.renameTitle}
        name={team.name}
        run={async name => {
          await api.patch(path, { name });
          await finishChange(messages.renamed, ['/teams', 'session']);
        }}
        onClose={onClose}
      />
    );
  if (open !== undefined) return <EndDialog {...{ team, onGone, onClose }} kind={open} />;
  return null;
}

function EndDialog({
  team: { id, name },
  kind,
  onGone,
  onClose,
}: Omit<TeamDialogProps, 'open'> & { readonly kind: 'leave' | 'remove' }) {
  const { userId } = useSession().user;
  const finishChange = useFinishChange();
  const isLeaving = kind === 'leave';
  return (
    <ConfirmDialog
      title={isLeaving ? messages.leaveTitle(name) : messages.removeTitle(name)}
      action={isLeaving ? messages.leave : messages.remove}
      run={async () => {
        await api.delete(isLeaving ? `/teams/${id}/members/${userId}` : `/teams/${id}`);
        onGone();
        await finishChange(isLeaving ? messages.left(name) : messages.removed(name), ['/teams', 'session']);
      }}
      onClose={onClose}
    >
      {isLeaving ? messages.leaveText : messages.removeText}
    </ConfirmDialog>
  );
}
