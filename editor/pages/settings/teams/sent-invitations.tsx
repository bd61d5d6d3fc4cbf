// The invitations of a team that nobody has answered yet: their links, until when they are good, and their end.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team, TeamInvitation } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { Ago } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import { Day } from '../day.tsx';
import { texts as shared } from '../messages.ts';
import { Cut, Lead, Section } from '../section.tsx';
import { texts } from './messages.ts';
import styles from './teams.module.css';

export function SentInvitations({ team }: { readonly team: Team }) {
  const path = `/teams/${team.id}/invitations`;
  const list = useList<TeamInvitation>(path, { limit: 100 });
  const done = useDone();
  const [revoking, revoke] = useState<TeamInvitation>();
  const again = useMutation({
    mutationFn: ({ email, role }: TeamInvitation) => api.post(path, { email, role }),
    onSuccess: (_, { email }) => done(texts.invited(email), [path]),
  });
  return (
    <>
      <InfiniteList query={list} empty={null}>
        {invitations => (
          <Section title={texts.pending}>
            <Lead>{texts.pendingLead}</Lead>
            {again.error && <Failure error={again.error} />}
            <Table
              label={texts.pendingOf(team.name)}
              columns={columnsOf({
                renew: again.mutate,
                renewing: again.isPending ? again.variables.id : undefined,
                revoke,
              })}
              rows={invitations}
              keyOf={({ id }) => id}
            />
          </Section>
        )}
      </InfiniteList>
      {revoking && (
        <ConfirmDialog
          title={texts.revokeTitle(revoking.email)}
          action={texts.revoke}
          run={async () => {
            await api.delete(`${path}/${revoking.id}`);
            await done(texts.revoked(revoking.email), [path]);
          }}
          onClose={() => revoke(undefined)}
        >
          {texts.revokeText}
        </ConfirmDialog>
      )}
    </>
  );
}

interface Actions {
  readonly renew: (invitation: TeamInvitation) => void;
  /** The id of the one that is being renewed. */
  readonly renewing: string | undefined;
  readonly revoke: (invitation: TeamInvitation) => void;
}

const columnsOf = ({ renew, renewing, revoke }: Actions): readonly Column<TeamInvitation>[] => [
  { title: shared.email, cell: ({ email }) => <Cut text={email} /> },
  { title: shared.role, cell: ({ role }) => shared.roles[role] },
  {
    title: texts.invitedBy,
    cell: ({ invitedBy, createdAt }) => (
      <>
        <Cut text={invitedBy ?? texts.nobody} />, <Ago time={createdAt} />
      </>
    ),
  },
  {
    title: texts.expires,
    cell: ({ expiresAt, isExpired }) =>
      isExpired ? <Badge tone="danger">{texts.expired}</Badge> : <Day time={expiresAt} />,
  },
  {
    title: shared.actions,
    isTitleHidden: true,
    align: 'end',
    cell: invitation => (
      <span className={styles.actions}>
        {!invitation.isExpired && (
          <CopyButton text={invitation.url} label={texts.copyLink(invitation.email)} />
        )}
        <Button
          size="s"
          aria-label={texts.renewOf(invitation.email)}
          isBusy={renewing === invitation.id}
          onClick={() => renew(invitation)}
        >
          {texts.renew}
        </Button>
        <Button size="s" aria-label={texts.revokeOf(invitation.email)} onClick={() => revoke(invitation)}>
          {texts.revoke}
        </Button>
      </span>
    ),
  },
];
