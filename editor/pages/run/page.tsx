// Renders the page of a run: live status, actions and results; details, inputs and timeline beside them; graph and webhook
// deliveries below.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearchParams } from 'wouter';
import type { Execution, NodeState } from '../../../sdk/src/types.ts';
import type { Graph as ExecutedGraph } from '../../../src/graph/types.ts';
import { RunBadge } from '../../kit/badge.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { formatDuration, formatNumber, formatUsd } from '../../lib/format.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { apiQuery } from '../../lib/queries.ts';
import { getDurationMs } from '../../lib/runs.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { Actions } from './actions.tsx';
import { Inputs } from './inputs.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { Results } from './results.tsx';
import { Timeline } from './timeline.tsx';
import { toReadQuery, useRun } from './use-run.ts';

/** Whether the node waits or waited for a decision. */
const isAsked = ({ approval }: NodeState): boolean => approval !== undefined;

// These are at the end of the page, or rare.
const RunGraph = lazyComponent(async () => (await import('./run-graph.tsx')).RunGraph);
const Approvals = lazyComponent(async () => (await import('./approvals.tsx')).Approvals);
const Deliveries = lazyComponent(async () => (await import('./deliveries.tsx')).Deliveries);

export function Page() {
  const { id = '' } = useParams<{ id: string }>();
  const [search] = useSearchParams();
  const asAdmin = search.get('asAdmin') === 'true';
  const query = useRun(id, { asAdmin });
  return <QueryResult query={query}>{run => <RunDetails run={run} asAdmin={asAdmin} />}</QueryResult>;
}

interface RunDetailsProps {
  readonly run: Execution;
  /** Whether the user reads the run as an administrator, who may lack access to the workflow. */
  readonly asAdmin: boolean;
}

function RunDetails({ run, asAdmin }: RunDetailsProps) {
  const name = useWorkflowName(run.workflowId, !asAdmin);
  const { data: graph } = useQuery({
    ...apiQuery<ExecutedGraph>(['/executions', run.id, 'workflow'], toReadQuery(asAdmin)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <article className={styles.run}>
      <div>
        <PageHead
          title={messages.title(name ?? messages.untitled)}
          parents={[
            {
              title: sharedMessages.nav.executions,
              href: asAdmin ? '/executions?of=instance' : '/executions',
            },
          ]}
        >
          {!asAdmin && (
            <>
              <ButtonLink href={`/flow/${run.workflowId}`}>{messages.open}</ButtonLink>
              <Actions run={run} />
            </>
          )}
        </PageHead>
        {asAdmin && <p className={styles.muted}>{messages.asAdmin}</p>}
      </div>
      <div className={styles.columns}>
        <div className={styles.main}>
          <RunError run={run} />
          {run.nodeStates.some(isAsked) && <Approvals run={run} asAdmin={asAdmin} />}
          <section>
            <h2>{messages.results}</h2>
            <Results run={run} asAdmin={asAdmin} />
          </section>
          {graph !== undefined && graph.nodes.length > 0 && (
            <section>
              <h2>{messages.graph}</h2>
              <RunGraph graph={graph} states={getStates(run)} />
            </section>
          )}
          {run.webhook !== null && !asAdmin && <Deliveries executionId={run.id} state={run.webhook.state} />}
        </div>
        <div className={styles.side}>
          <section>
            <h2>{messages.details}</h2>
            <RunSummary run={run} />
          </section>
          <Inputs run={run} graph={graph} />
          <section>
            <h2>{messages.timeline}</h2>
            <Timeline run={run} />
          </section>
        </div>
      </div>
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
          <span className={styles.muted}>{summary.estimated(run.credits.estimated)}</span>
        )}
      </SummaryItem>
      <OwnKeyCost run={run} />
      <SummaryItem name={summary.startedBy}>{sharedMessages.runTriggers[run.trigger]}</SummaryItem>
      <SummaryItem name={summary.version}>{formatNumber(run.workflowVersion)}</SummaryItem>
      {run.resumedFromId !== null && (
        <SummaryItem name={summary.resumedFrom}>
          <Link href={`/executions/${run.resumedFromId}`}>{run.resumedFromId}</Link>
        </SummaryItem>
      )}
      <SummaryItem name={summary.id}>
        <code>{run.id}</code> <CopyButton text={run.id} label={sharedMessages.common.copy} />
      </SummaryItem>
    </dl>
  );
}

/** Renders the cost in USD of calls with the workspace's own keys, which cost no credits. */
function OwnKeyCost({ run }: { readonly run: Execution }) {
  const costs = run.nodeStates.flatMap(({ paidBy, costUsd = null }) =>
    paidBy === 'credential' ? [costUsd] : [],
  );
  if (costs.length === 0) return null;
  const unknownCount = costs.filter(usd => usd === null).length;
  const usd = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  return (
    <SummaryItem name={messages.summary.ownKeys}>
      {unknownCount < costs.length && formatUsd(usd)}{' '}
      {unknownCount > 0 && <span className={styles.muted}>{messages.summary.unknownCost(unknownCount)}</span>}
    </SummaryItem>
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
    <section className={styles.problem} aria-label={messages.error}>
      <h2>{messages.error}</h2>
      <p>{error.message}</p>
      <p className={styles.muted}>
        {node && `${messages.atNode(node.label)} `}
        <code>{error.code}</code>
      </p>
    </section>
  );
}

function getStates({ nodeStates }: Execution): ReadonlyMap<string, NodeState> {
  return new Map(nodeStates.map(state => [state.nodeId, state]));
}

function useWorkflowName(workflowId: string, isEnabled: boolean): string | undefined {
  const { data } = useQuery({
    ...apiQuery(['/workflows', workflowId]),
    select: ({ name }) => name,
    staleTime: 60_000,
    enabled: isEnabled,
  });
  return data;
}
