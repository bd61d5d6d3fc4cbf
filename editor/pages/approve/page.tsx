// Renders the page that people open by the link of a mail: what waits, and the form that decides, or the button that stops mails.
// Opening it changes nothing.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { LinkedApproval } from '../../../sdk/src/schemas.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { AuthLayout } from '../../frame/auth-layout.tsx';
import { ApprovalForm } from '../../kit/approval/approval-form.tsx';
import { DecisionText } from '../../kit/approval/decision-text.tsx';
import { Button } from '../../kit/button.tsx';
import { Failure } from '../../kit/failure.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { api } from '../../lib/api.ts';
import { formatExact } from '../../lib/format.ts';

// Read when the module loads, because the effect removes the token from the URL.
// The link at the end of a mail, with which its recipient stops mails, has a suffix.
const [TOKEN = '', SUFFIX] = location.hash.slice(1).split('.');
const KEY = ['/approvals/link'];

export function Page() {
  useEffect(removeToken, []);
  const client = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => api.post('/approvals/link', { token: TOKEN }),
    enabled: TOKEN !== '',
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (TOKEN === '')
    return (
      <AuthLayout title={messages.incompleteTitle} description={messages.incomplete}>
        {null}
      </AuthLayout>
    );
  if (query.data === undefined)
    return (
      <AuthLayout title={query.error === null ? messages.linkTitle : messages.expiredTitle}>
        <QueryResult query={query}>{() => null}</QueryResult>
      </AuthLayout>
    );
  const approval = query.data;
  if (SUFFIX === 'stop') return <StopMails approval={approval} />;
  const { message, startedBy, status, decision, expiresAt, label } = approval;
  if (status !== 'waiting')
    return (
      <AuthLayout title={messages.usedTitle} description={label}>
        {decision === null ? (
          <p>{status === 'cancelled' ? messages.ended.cancelled : messages.ended.expired}</p>
        ) : (
          <DecisionText decision={decision} />
        )}
      </AuthLayout>
    );
  const until = messages.until(formatExact(Date.parse(expiresAt)));
  return (
    <AuthLayout
      title={message === '' ? label : message}
      description={`${messages.asks(startedBy)} ${until}.`}
      size="l"
    >
      <ApprovalForm
        approval={approval}
        onDecide={async body => {
          try {
            client.setQueryData(KEY, await api.post('/approvals/link/decision', { token: TOKEN, ...body }));
          } catch (error) {
            // Somebody else may have decided: the page then shows who.
            void client.invalidateQueries({ queryKey: KEY });
            throw error;
          }
        }}
      />
    </AuthLayout>
  );
}

/** Asks before it stops mails, because programs that scan mails open their links. */
function StopMails({ approval: { email, mailsStopped } }: { readonly approval: LinkedApproval }) {
  const client = useQueryClient();
  const texts = messages.stop;
  const change = useMutation({
    mutationFn: (isStopped: boolean) => api.post('/approvals/link/mails', { token: TOKEN, isStopped }),
    onSuccess: changed => client.setQueryData(KEY, changed),
  });
  if (email === null || mailsStopped === null)
    return (
      <AuthLayout title={messages.linkTitle} description={texts.account}>
        {null}
      </AuthLayout>
    );
  return (
    <AuthLayout
      title={mailsStopped ? texts.stopped : texts.title}
      description={mailsStopped ? texts.stoppedHint(email) : texts.description(email)}
    >
      {change.error && <Failure error={change.error} />}
      <Button
        variant={mailsStopped ? 'plain' : 'primary'}
        isBusy={change.isPending}
        onClick={() => change.mutate(!mailsStopped)}
      >
        {mailsStopped ? texts.resume : texts.stop}
      </Button>
    </AuthLayout>
  );
}

/** Removes the token from the URL, and reloads the page when another link is opened in this tab. */
function removeToken(): () => void {
  history.replaceState(history.state, '', location.pathname);
  const reload = (): void => location.reload();
  window.addEventListener('hashchange', reload);
  return () => window.removeEventListener('hashchange', reload);
}
