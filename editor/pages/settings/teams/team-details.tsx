// Renders a team: its members, pending invitations, and the actions of owners and members.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '../../../../sdk/src/schemas.ts';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { NameDialog } from '../../../kit/name-dialog.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Section } from '../section.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { Members } from './members.tsx';
import { messages } from './messages.ts';
import { Policy } from './policy.tsx';
import { SentInvitations } from './sent-invitations.tsx';

interface TeamDetailsProps {
  readonly id: string;
  /** Called after the user deleted or left the team. */
  readonly onGone: () => void;
}

export function TeamDetails({ id, onGone }: TeamDetailsProps) {
  const team = useQuery(apiQuery(['/teams', id]));
  return <QueryResult query={team}>{data => <Details team={data} onGone={onGone} />}</QueryResult>;
}

type DialogKind = 'invite' | 'rename' | 'leave' | 'delete';

function Details({ team, onGone }: { readonly team: Team; readonly onGone: () => void }) {
  const [openDialog, setOpenDialog] = useState<DialogKind>();
  const buttons = team.role === 'OWNER' ? OWNER_ACTIONS : MEMBER_ACTIONS;
  return (
    <>
      <Section
        title={messages.members(team.name)}
        actions={
          <>
            {buttons.map(([kind, text]) => (
              <Button
                key={kind}
                variant={kind === 'invite' ? 'primary' : 'plain'}
                onClick={() => setOpenDialog(kind)}
              >
                {text}
              </Button>
            ))}
            {team.role === 'OWNER' && (
              <ButtonLink href={`/settings/team-audit?teamId=${team.id}`}>
                {settingsMessages.parts['team-audit']}
              </ButtonLink>
            )}
          </>
        }
      >
        <Members team={team} />
        <TeamDialog
          team={team}
          openDialog={openDialog}
          onGone={onGone}
          onClose={() => setOpenDialog(undefined)}
        />
      </Section>
      {team.role === 'OWNER' && <SentInvitations team={team} />}
      <Policy team={team} />
      {team.role === 'OWNER' && <Requirement team={team} />}
    </>
  );
}

function Requirement({ team }: { readonly team: Team }) {
  const reloadAndToast = useReloadAndToast();
  const change = useMutation({
    mutationFn: (requiresSecondFactor: boolean) => api.patch(`/teams/${team.id}`, { requiresSecondFactor }),
    onSuccess: ({ requiresSecondFactor }) =>
      reloadAndToast(messages.requirementChanged[requiresSecondFactor ? 'on' : 'off'], ['/teams']),
  });
  return (
    <Section title={messages.security}>
      {change.error && <Failure error={change.error} />}
      <CheckField
        label={messages.requireFactor}
        hint={messages.requireFactorHint}
        checked={change.isPending ? change.variables : team.requiresSecondFactor}
        onChange={event => change.mutate(event.target.checked)}
      />
    </Section>
  );
}

const MEMBER_ACTIONS: readonly (readonly [kind: DialogKind, text: string])[] = [['leave', messages.leave]];
const OWNER_ACTIONS: readonly (readonly [kind: DialogKind, text: string])[] = [
  ['invite', messages.invite],
  ['rename', messages.rename],
  ['leave', messages.leave],
  ['delete', messages.delete],
];

interface TeamDialogProps {
  readonly team: Team;
  readonly openDialog: DialogKind | undefined;
  readonly onGone: () => void;
  readonly onClose: () => void;
}

function TeamDialog({ team, openDialog, onGone, onClose }: TeamDialogProps) {
  const reloadAndToast = useReloadAndToast();
  const path = `/teams/${team.id}`;
  if (openDialog === 'invite') return <InviteDialog team={team} onClose={onClose} />;
  if (openDialog === 'rename')
    return (
      <NameDialog
        title={messages.renameTitle}
        name={team.name}
        onSubmit={async name => {
          await api.patch(path, { name });
          await reloadAndToast(messages.renamed, ['/teams', 'session']);
        }}
        onClose={onClose}
      />
    );
  if (openDialog !== undefined)
    return <LeaveOrDeleteDialog {...{ team, onGone, onClose }} kind={openDialog} />;
  return null;
}

function LeaveOrDeleteDialog({
  team: { id, name },
  kind,
  onGone,
  onClose,
}: Omit<TeamDialogProps, 'openDialog'> & { readonly kind: 'leave' | 'delete' }) {
  const { userId } = useSession().user;
  const reloadAndToast = useReloadAndToast();
  const isLeaving = kind === 'leave';
  return (
    <ConfirmDialog
      title={isLeaving ? messages.leaveTitle(name) : messages.deleteTitle(name)}
      action={isLeaving ? messages.leave : messages.delete}
      onConfirm={async () => {
        await api.delete(isLeaving ? `/teams/${id}/members/${userId}` : `/teams/${id}`);
        onGone();
        await reloadAndToast(isLeaving ? messages.left(name) : messages.deleted(name), ['/teams', 'session']);
      }}
      onClose={onClose}
    >
      {isLeaving ? messages.leaveText : messages.deleteText}
    </ConfirmDialog>
  );
}
