// Renders the approvals of a run: those that wait, with whom they are asked of and the form that decides, and the decisions.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Approval } from '../../../sdk/src/schemas.ts';
import type { Execution, NodeState } from '../../../sdk/src/types.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { ApprovalForm } from '../../kit/approval/approval-form.tsx';
import { DecisionText } from '../../kit/approval/decision-text.tsx';
import { Button } from '../../kit/button.tsx';
import { Failure, showError } from '../../kit/failure.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { api } from '../../lib/api.ts';
import { formatNames } from '../../lib/format.ts';
import { apiQuery } from '../../lib/queries.ts';
import { showToast } from '../../lib/toasts.ts';
import styles from './approvals.module.css';

interface ApprovalsProps {
  readonly run: Execution;
  readonly asAdmin: boolean;
}

export function Approvals({ run, asAdmin }: ApprovalsProps) {
  return (
    <section>
      <h2>{messages.title}</h2>
      <ul className={styles.list}>
        {run.nodeStates
          .filter(({ approval }) => approval !== undefined)
          .map(state => (
            <li key={state.nodeId} className={styles.item} aria-label={state.label}>
              <h3>{state.label}</h3>
              <NodeApproval executionId={run.id} state={state} isReadOnly={asAdmin} />
            </li>
          ))}
      </ul>
    </section>
  );
}

interface NodeApprovalProps {
  readonly executionId: string;
  readonly state: NodeState;
  readonly isReadOnly: boolean;
}

function NodeApproval({ executionId, state, isReadOnly }: NodeApprovalProps) {
  const { nodeId, status, approval } = state;
  const decision = approval?.decision ?? null;
  if (decision !== null) return <DecisionText decision={decision} />;
  if (status !== 'WAITING')
    return <p>{status === 'CANCELLED' ? messages.ended.cancelled : messages.ended.expired}</p>;
  const id = approval?.id ?? null;
  if (id === null || isReadOnly) return <p>{approval?.message}</p>;
  return <WaitingApproval id={id} executionId={executionId} nodeId={nodeId} />;
}

interface WaitingApprovalProps {
  readonly id: string;
  readonly executionId: string;
  readonly nodeId: string;
}

function WaitingApproval({ id, executionId, nodeId }: WaitingApprovalProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(apiQuery(['/approvals', id]));
  if (data === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  const path = `/executions/${executionId}/approvals/${encodeURIComponent(nodeId)}` as const;
  const reload = (): void => {
    void client.invalidateQueries({ queryKey: ['/executions'] });
    void client.invalidateQueries({ queryKey: ['/approvals'] });
  };
  return (
    <>
      <p className={styles.message}>{data.message === '' ? messages.question : data.message}</p>
      <Asked approval={data} />
      <ApprovalForm approval={data} onDecide={body => api.post(path, body).finally(reload)} />
    </>
  );
}

/** Renders who is asked, with links for people whom no mail has reached. */
function Asked({ approval: { id, assignees } }: { readonly approval: Approval }) {
  const names = assignees.flatMap(({ email }) => email ?? []);
  const unreached = assignees.flatMap(({ userId, email, mail }) =>
    userId === null && email !== null && mail !== 'queued' ? [email] : [],
  );
  return (
    <>
      <p className={styles.muted}>
        {names.length === 0 ? messages.starter : messages.asked(formatNames(names))}
      </p>
      {unreached.map(email => (
        <p key={email} className={styles.unreached}>
          {messages.noMail(email)} <LinkButton id={id} email={email} />
        </p>
      ))}
    </>
  );
}

function LinkButton({ id, email }: { readonly id: string; readonly email: string }) {
  const copy = useMutation({
    mutationFn: async () => {
      const { url } = await api.post(`/approvals/${id}/link`, { email });
      await navigator.clipboard.writeText(url);
    },
    onSuccess: () => showToast(messages.linkCopied),
    onError: showError,
  });
  return (
    <Button size="s" isBusy={copy.isPending} onClick={() => copy.mutate()}>
      {messages.copyLink}
    </Button>
  );
}
