// Renders the approvals that wait for the user, or that were decided, and a single approval at `/approvals/:id`.
import CircleCheck from 'icon:circle-check-big';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearchParams } from 'wouter';
import type { Approval } from '../../../sdk/src/schemas.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { ApprovalForm } from '../../kit/approval/approval-form.tsx';
import { ApprovalValue } from '../../kit/approval/approval-value.tsx';
import { DecisionText } from '../../kit/approval/decision-text.tsx';
import { Badge } from '../../kit/badge.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { api } from '../../lib/api.ts';
import { formatExact } from '../../lib/format.ts';
import { apiQuery } from '../../lib/queries.ts';
import styles from './page.module.css';

export function Page() {
  const { id } = useParams<{ id?: string }>();
  return id === undefined ? <ApprovalList /> : <SingleApproval id={id} />;
}

const POLL_MS = 30_000;

function ApprovalList() {
  const [search, setSearch] = useSearchParams();
  const status = search.get('status') === 'decided' ? 'decided' : 'waiting';
  const list = useList('/approvals', { status, limit: 20 }, () => POLL_MS);
  return (
    <>
      <PageHead title={messages.title} />
      <FilterBar>
        <FilterSelect
          label={messages.filter}
          value={status}
          options={{ waiting: messages.waiting, decided: messages.decided }}
          onChange={({ target: { value } }) =>
            setSearch(value === 'decided' ? { status: value } : {}, { replace: true })
          }
        />
      </FilterBar>
      <InfiniteList query={list} empty={<Empty status={status} />}>
        {approvals => (
          <ul className={styles.list}>
            {approvals.map(approval => (
              <li key={approval.id}>
                <ApprovalCard approval={approval} />
              </li>
            ))}
          </ul>
        )}
      </InfiniteList>
    </>
  );
}

const Empty = ({ status }: { readonly status: 'waiting' | 'decided' }) => (
  <EmptyState icon={CircleCheck} title={status === 'waiting' ? messages.emptyTitle : messages.decided}>
    {status === 'waiting' ? messages.empty : messages.emptyDecided}
  </EmptyState>
);

function SingleApproval({ id }: { readonly id: string }) {
  const query = useQuery(apiQuery(['/approvals', id]));
  return (
    <>
      <PageHead title={query.data?.label ?? ''} parents={[{ title: messages.title, href: '/approvals' }]} />
      <QueryResult query={query}>
        {approval => (
          <div className={styles.list}>
            <ApprovalCard approval={approval} />
          </div>
        )}
      </QueryResult>
    </>
  );
}

const TONES = {
  waiting: 'accent',
  approved: 'success',
  rejected: 'danger',
  expired: 'neutral',
  cancelled: 'neutral',
} as const;

function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const client = useQueryClient();
  const { executionId, nodeId, status, message, label, decision } = approval;
  const path = `/executions/${executionId}/approvals/${encodeURIComponent(nodeId)}` as const;
  const reload = () => client.invalidateQueries({ queryKey: ['/approvals'] });
  return (
    <article className={styles.card} aria-label={label}>
      <header className={styles.head}>
        <h2>{label}</h2>
        <Badge tone={TONES[status]}>{messages.statuses[status]}</Badge>
      </header>
      {message !== '' && <p className={styles.message}>{message}</p>}
      <Origin approval={approval} />
      {status === 'waiting' ? (
        <ApprovalForm
          approval={approval}
          onDecide={body => api.post(path, body).finally(() => void reload())}
        />
      ) : (
        <>
          <ApprovalValue approval={approval} />
          {decision !== null && <DecisionText decision={decision} />}
        </>
      )}
    </article>
  );
}

function Origin({ approval }: { readonly approval: Approval }) {
  const { executionId, workflowId, workflowName, startedBy, createdAt, expiresAt, status } = approval;
  return (
    <p className={styles.origin}>
      {workflowId !== null && (
        <>
          <Link href={`/executions/${executionId}`}>{workflowName}</Link>
          {' · '}
        </>
      )}
      {startedBy} · <RelativeTime time={createdAt} />
      {status === 'waiting' && ` · ${messages.until(formatExact(Date.parse(expiresAt)))}`}
    </p>
  );
}
