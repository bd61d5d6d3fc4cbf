// Renders the user's pending invitations, and the error if the invitation of an opened link is not valid.
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Invitation } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Day, Section } from '../section.tsx';
import { messages } from './messages.ts';
import styles from './teams.module.css';

const PATH = '/invitations';
type Reply = 'accept' | 'decline';

interface OwnInvitationsProps {
  /** The invitation id in the URL, if the user opened an invitation link. */
  readonly linkedId: string | null;
  /** Called with the joined team. */
  readonly onAccepted: (teamId: string) => void;
}

export function OwnInvitations({ linkedId, onAccepted }: OwnInvitationsProps) {
  const list = useList(PATH, { limit: 100 });
  const { error } = useQuery({
    // Not below `/invitations`, because an accepted or declined invitation must not be reloaded.
    queryKey: ['invitation', linkedId],
    queryFn: ({ signal }) => api.get(`${PATH}/${linkedId}`, { signal }),
    enabled: linkedId !== null,
  });
  const reloadAndToast = useReloadAndToast();
  const reply = useMutation({
    mutationFn: ({ id, kind }: { id: string; kind: Reply; team: Invitation['team'] }): Promise<unknown> =>
      kind === 'accept' ? api.post(`${PATH}/${id}/accept`) : api.delete(`${PATH}/${id}`),
    onSuccess: async (_, { kind, team }) => {
      if (kind === 'accept') onAccepted(team.id);
      await reloadAndToast(messages.replied[kind](team.name), [PATH, '/teams', 'session']);
    },
  });
  return (
    <>
      {error && <Failure error={error} />}
      <InfiniteList query={list} empty={null}>
        {invitations => (
          <Section title={messages.ownInvitations}>
            {reply.error && <Failure error={reply.error} />}
            <ul className={styles.invitations} aria-label={messages.ownInvitations}>
              {invitations.map(invitation => (
                <InvitationCard
                  key={invitation.id}
                  invitation={invitation}
                  pendingReply={
                    reply.isPending && reply.variables.id === invitation.id && reply.variables.kind
                  }
                  onReply={kind => reply.mutate({ ...invitation, kind })}
                />
              ))}
            </ul>
          </Section>
        )}
      </InfiniteList>
    </>
  );
}

const REPLIES: readonly Reply[] = ['accept', 'decline'];

interface InvitationCardProps {
  readonly invitation: Invitation;
  /** The reply that is being sent. */
  readonly pendingReply: Reply | false;
  readonly onReply: (kind: Reply) => void;
}

function InvitationCard({
  invitation: { team, role, invitedBy, expiresAt },
  pendingReply,
  onReply,
}: InvitationCardProps) {
  return (
    <li className={styles.invitation}>
      <div>
        <strong>{team.name}</strong>
        <p>
          {messages.asRole(settingsMessages.roles[role])} {messages.by(invitedBy ?? messages.deletedAccount)};{' '}
          {messages.until} <Day time={expiresAt} />.
        </p>
      </div>
      <span className={styles.actions}>
        {REPLIES.map(kind => (
          <Button
            key={kind}
            variant={kind === 'accept' ? 'primary' : 'plain'}
            aria-label={messages.replyTo[kind](team.name)}
            isBusy={pendingReply === kind}
            onClick={() => onReply(kind)}
          >
            {messages[kind]}
          </Button>
        ))}
      </span>
    </li>
  );
}
