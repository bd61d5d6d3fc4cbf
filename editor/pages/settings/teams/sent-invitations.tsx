// Renders the pending invitations of a team: link, expiry, renew, revoke.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team, TeamInvitation } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { Ago } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import { texts as shared } from '../messages.ts';
import { Day, Lead, Section } from '../section.tsx';
import { texts } from './messages.ts';
import styles from './teams.module.css';

export function SentInvitations({ team }: { readonly team: Team }) {
  const path = `/teams/${team.id}/invitations`;
  const list = useList<TeamInvitation>(path, { limit: 100 });
  const done = useDone();
  const [revoking, revoke] = useState<TeamInvitation>();
  const again = useMutation({
    mutationFn: ({ email, userId, role }: TeamInvitation) =>
      email === null
        ? api.post(`/teams/${team.id}/members`, { userId, role })
        : api.post(path, { email, role }),
    onSuccess: (_, invitation) => done(texts.invited(nameOf(invitation)), [path]),
  });
  return (
    <>
      <InfiniteList query={list} empty={null}>
        {invitations => (
          <Section title={texts.pending}>
            <Lead>{texts.pendingLead}</Lead>
            {again.error && <Failure error={again.error} />}
            <ul className={styles.invitations} aria-label={texts.pendingOf(team.name)}>
              {invitations.map(invitation => (
                <Sent
                  key={invitation.id}
                  invitation={invitation}
                  isRenewing={again.isPending && again.variables.id === invitation.id}
                  onRenew={() => again.mutate(invitation)}
                  onRevoke={() => revoke(invitation)}
                />
              ))}
            </ul>
          </Section>
        )}
      </InfiniteList>
      {revoking && (
        <ConfirmDialog
          title={texts.revokeTitle(nameOf(revoking))}
          action={texts.revoke}
          run={async () => {
            await api.delete(`${path}/${revoking.id}`);
            await done(texts.revoked(nameOf(revoking)), [path]);
          }}
          onClose={() => revoke(undefined)}
        >
          {texts.revokeText}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Whom the invitation is to, as its team sees them. */
const nameOf = ({ email, name }: TeamInvitation): string => email ?? name ?? '';

interface SentProps {
  readonly invitation: TeamInvitation;
  readonly isRenewing: boolean;
  readonly onRenew: () => void;
  readonly onRevoke: () => void;
}

function Sent({ invitation, isRenewing, onRenew, onRevoke }: SentProps) {
  const { role, invitedBy, createdAt, expiresAt, isExpired, url } = invitation;
  const person = nameOf(invitation);
  return (
    <li className={styles.invitation}>
      <div>
        <strong>{person}</strong> {isExpired && <Badge tone="danger">{texts.expired}</Badge>}
        <p>
          {texts.asRole(shared.roles[role])} {texts.by(invitedBy ?? texts.deletedAccount)}{' '}
          <Ago time={createdAt} />
          {!isExpired && (
            <>
              {'; '}
              {texts.until} <Day time={expiresAt} />
            </>
          )}
        </p>
      </div>
      <span className={styles.actions}>
        {!isExpired && <CopyButton text={url} label={texts.copyLink(person)} />}
        <Button size="s" aria-label={texts.renewOf(person)} isBusy={isRenewing} onClick={onRenew}>
          {texts.renew}
        </Button>
        <Button size="s" aria-label={texts.revokeOf(person)} onClick={onRevoke}>
          {texts.revoke}
        </Button>
      </span>
    </li>
  );
}
