// Renders the page of a run: live status, actions, results, graph, timeline, inputs and webhook deliveries.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import type { Execution, NodeState } from '../../../sdk/src/types.ts';
import type { Graph as ExecutedGraph } from '../../../src/graph/types.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Failure } from '../../kit/failure.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { api } from '../../lib/api.ts';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { getDurationMs } from '../../lib/runs.ts';
import { messages as appMessages } from '../../messages.ts';
import { messages as runListMessages } from '../executions/messages.ts';
import { Actions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { Results } from './results.tsx';
import { RunGraph } from './run-graph.tsx';
import { Timeline } from './timeline.tsx';
import { useRun } from './use-run.ts';

export function Page() {
  const { id = '' } = useParams<{ id: string }>();
  const { data: run, error, refetch } = useRun(id);
  if (run === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  return <RunDetails run={run} />;
}

function RunDetails({ run }: { readonly run: Execution }) {
  const name = useWorkflowName(run.workflowId);
  return (
    <article className={styles.run}>
      <p>
        <Link href="/executions">{messages.back}</Link>
      </p>
      <PageHead title={messages.title(name ?? messages.untitled)}>
        <Actions run={run} />
      </PageHead>
      <RunSummary run={run} />
      <RunError run={run} />
      <section>
        <h2>{messages.results}</h2>
        <Results run={run} />
      </section>
      <GraphSection run={run} />
      <section>
        <h2>{messages.timeline}</h2>
        <Timeline run={run} />
      </section>
      <Inputs inputs={run.inputs} />
      {run.webhook !== null && <Deliveries executionId={run.id} state={run.webhook.state} />}
    </article>
  );
}

function RunSummary({ run }: { readonly run: Execution }) {
  const ms = getDurationMs(run);
  const { summary } = messages;
  return (
    <dl className={styles.summary}>
      <SummaryItem name={messages.state}>
        <RunBadge status={run.status} />
      </SummaryItem>
      <SummaryItem name={summary.started}>
        <RelativeTime time={run.createdAt} />
      </SummaryItem>
      <SummaryItem name={summary.duration}>{ms === null ? '–' : formatDuration(ms)}</SummaryItem>
      <SummaryItem name={summary.credits}>
        {formatNumber(run.credits.charged)}{' '}
        {run.credits.estimated !== run.credits.charged && (
          <span className={styles.soft}>{summary.estimated(run.credits.estimated)}</span>
        )}
      </SummaryItem>
      <SummaryItem name={summary.from}>{runListMessages.triggers[run.trigger]}</SummaryItem>
      <SummaryItem name={summary.version}>{formatNumber(run.workflowVersion)}</SummaryItem>
      {run.resumedFromId !== null && (
        <SummaryItem name={summary.resumedFrom}>
          <Link href={`/executions/${run.resumedFromId}`}>{run.resumedFromId}</Link>
        </SummaryItem>
      )}
      <SummaryItem name={summary.id}>
        <code>{run.id}</code> <CopyButton text={run.id} label={appMessages.common.copy} />
      </SummaryItem>
    </dl>
  );
}

function SummaryItem({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function RunError({ run: { error, nodeStates } }: { readonly run: Execution }) {
  if (error === null) return null;
  const node = nodeStates.find(({ nodeId }) => nodeId === error.nodeId);
  return (
    <section className={styles.problem} aria-label={messages.failed}>
      <h2>{messages.failed}</h2>
      <p>{error.message}</p>
      <p className={styles.soft}>
        {node && `${messages.atNode(node.label)} `}
        <code>{error.code}</code>
      </p>
    </section>
  );
}

function GraphSection({ run }: { readonly run: Execution }) {
  const { data: graph } = useQuery({
    queryKey: ['/executions', run.id, 'workflow'],
    queryFn: ({ signal }) => api.get<ExecutedGraph>(`/executions/${run.id}/workflow`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (graph === undefined || graph.nodes.length === 0) return null;
  return (
    <section>
      <h2>{messages.graph}</h2>
      <RunGraph graph={graph} states={getStates(run)} />
    </section>
  );
}

function getStates({ nodeStates }: Execution): ReadonlyMap<string, NodeState> {
  return new Map(nodeStates.map(state => [state.nodeId, state]));
}

function Inputs({ inputs }: Pick<Execution, 'inputs'>) {
  const entries = Object.entries(inputs);
  return (
    <section>
      <h2>{messages.inputs}</h2>
      {entries.length === 0 ? (
        <p className={styles.soft}>{messages.noInputs}</p>
      ) : (
        <pre className={styles.code}>{JSON.stringify(inputs, null, 2)}</pre>
      )}
    </section>
  );
}

function useWorkflowName(workflowId: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['/workflows', workflowId, 'name'],
    queryFn: ({ signal }) => api.get<{ name: string }>(`/workflows/${workflowId}`, { signal }),
    select: ({ name }) => name,
    staleTime: 60_000,
  });
  return data;
}
