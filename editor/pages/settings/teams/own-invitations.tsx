// Renders the user's pending invitations, and explains why the invitation of a link is not among them.
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Invitation } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Day, Section } from '../section.tsx';
import { messages } from './messages.ts';
import styles from './teams.module.css';

const PATH = '/invitations';
type Answer = 'accept' | 'decline';

interface OwnInvitationsProps {
  /** Invitation id of the link; null: none. */
  readonly linked: string | null;
  /** Called with the joined team. */
  readonly onAccepted: (teamId: string) => void;
}

export function OwnInvitations({ linked, onAccepted }: OwnInvitationsProps) {
  const list = useList<Invitation>(PATH, { limit: 100 });
  const { error } = useQuery({
    // A separate key, because an answered invitation no longer exists and must not be reloaded.
    queryKey: ['invitation', linked],
    queryFn: ({ signal }) => api.get<Invitation>(`${PATH}/${linked}`, { signal }),
    enabled: linked !== null,
  });
  const finishChange = useFinishChange();
  const answer = useMutation({
    mutationFn: ({ id, kind }: { id: string; kind: Answer; team: Invitation['team'] }) =>
      kind === 'accept' ? api.post(`${PATH}/${id}/accept`) : api.delete(`${PATH}/${id}`),
    onSuccess: async (_, { kind, team }) => {
      if (kind === 'accept') onAccepted(team.id);
      await finishChange(messages.answered[kind](team.name), [PATH, '/teams', 'session']);
    },
  });
  return (
    <>
      {error && <Failure error={error} />}
      <InfiniteList query={list} empty={null}>
        {invitations => (
          <Section title={messages.yours}>
            {answer.error && <Failure error={answer.error} />}
            <ul className={styles.invitations} aria-label={messages.yours}>
              {invitations.map(invitation => (
                <Card
                  key={invitation.id}
                  invitation={invitation}
                  busy={answer.isPending && answer.variables.id === invitation.id && answer.variables.kind}
                  onAnswer={kind => answer.mutate({ ...invitation, kind })}
                />
              ))}
            </ul>
          </Section>
        )}
      </InfiniteList>
    </>
  );
}

const KINDS: readonly Answer[] = ['accept', 'decline'];

interface CardProps {
  readonly invitation: Invitation;
  /** The answer in progress. */
  readonly busy: Answer | false;
  readonly onAnswer: (kind: Answer) => void;
}

function Card({ invitation: { team, role, invitedBy, expiresAt }, busy, onAnswer }: CardProps) {
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
        {KINDS.map(kind => (
          <Button
            key={kind}
            variant={kind === 'accept' ? 'primary' : 'plain'}
            aria-label={messages.answerTo[kind](team.name)}
            isBusy={busy === kind}
            onClick={() => onAnswer(kind)}
          >
            {messages[kind]}
          </Button>
        ))}
      </span>
    </li>
  );
}
