// Renders the pending invitations of a team, with buttons to copy, renew and revoke them.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team, TeamInvitation } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Day, Introduction, Section } from '../section.tsx';
import { describeInvitation, messages } from './messages.ts';
import styles from './teams.module.css';

export function SentInvitations({ team }: { readonly team: Team }) {
  const path = `/teams/${team.id}/invitations` as const;
  const list = useList(path, { limit: 100 });
  const reloadAndToast = useReloadAndToast();
  const [invitationToRevoke, setInvitationToRevoke] = useState<TeamInvitation>();
  const renew = useMutation({
    mutationFn: ({ email, userId, role }: TeamInvitation) =>
      email === null
        ? api.post(`/teams/${team.id}/members`, { userId, role })
        : api.post(path, { email, role }),
    onSuccess: (renewed, invitation) =>
      reloadAndToast(describeInvitation(renewed, getRecipient(invitation)), [path]),
  });
  return (
    <>
      <InfiniteList query={list} empty={null}>
        {invitations => (
          <Section title={messages.pending}>
            <Introduction>{messages.pendingDescription}</Introduction>
            {renew.error && <Failure error={renew.error} />}
            <ul className={styles.invitations} aria-label={messages.pendingOf(team.name)}>
              {invitations.map(invitation => (
                <SentInvitation
                  key={invitation.id}
                  invitation={invitation}
                  isRenewing={renew.isPending && renew.variables.id === invitation.id}
                  onRenew={() => renew.mutate(invitation)}
                  onRevoke={() => setInvitationToRevoke(invitation)}
                />
              ))}
            </ul>
          </Section>
        )}
      </InfiniteList>
      {invitationToRevoke && (
        <ConfirmDialog
          title={messages.revokeTitle(getRecipient(invitationToRevoke))}
          action={messages.revoke}
          onConfirm={async () => {
            await api.delete(`${path}/${invitationToRevoke.id}`);
            await reloadAndToast(messages.revoked(getRecipient(invitationToRevoke)), [path]);
          }}
          onClose={() => setInvitationToRevoke(undefined)}
        >
          {messages.revokeText}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Returns the email or the name of the invited person. */
const getRecipient = ({ email, name }: TeamInvitation): string => email ?? name ?? messages.deletedAccount;

interface SentInvitationProps {
  readonly invitation: TeamInvitation;
  readonly isRenewing: boolean;
  readonly onRenew: () => void;
  readonly onRevoke: () => void;
}

function SentInvitation({ invitation, isRenewing, onRenew, onRevoke }: SentInvitationProps) {
  const { role, invitedBy, createdAt, expiresAt, isExpired, url } = invitation;
  const person = getRecipient(invitation);
  return (
    <li className={styles.invitation}>
      <div>
        <strong>{person}</strong> {isExpired && <Badge tone="danger">{messages.expired}</Badge>}
        <p>
          {messages.asRole(settingsMessages.roles[role])} {messages.by(invitedBy ?? messages.deletedAccount)}{' '}
          <RelativeTime time={createdAt} />
          {!isExpired && (
            <>
              {'; '}
              {messages.until} <Day time={expiresAt} />
            </>
          )}
        </p>
      </div>
      <span className={styles.actions}>
        {!isExpired && <CopyButton text={url} label={messages.copyLink(person)} />}
        <Button size="s" aria-label={messages.renewOf(person)} isBusy={isRenewing} onClick={onRenew}>
          {messages.renew}
        </Button>
        <Button size="s" aria-label={messages.revokeOf(person)} onClick={onRevoke}>
          {messages.revoke}
        </Button>
      </span>
    </li>
  );
}
