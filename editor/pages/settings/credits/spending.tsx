// Renders spending per day, and by model and workflow.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Spending as SpendingReport } from '../../../../sdk/src/schemas.ts';
import { FilterSelect } from '../../../kit/filter-bar.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { formatNumber, formatUsd } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { DetailList, Section, Truncated } from '../section.tsx';
import styles from './credits.module.css';
import { DayChart } from './day-chart.tsx';
import { messages } from './messages.ts';

const DEFAULT_DAYS = 30;

export function Spending() {
  const [days, setDays] = useState(DEFAULT_DAYS);
  const report = useQuery(apiQuery<SpendingReport>(['/credits', 'spending'], { days }));
  return (
    <Section
      title={messages.spending}
      actions={
        <FilterSelect
          label={messages.period}
          value={days}
          options={messages.periods}
          onChange={event => setDays(Number(event.target.value))}
        />
      }
    >
      <QueryResult query={report}>{data => <Report report={data} />}</QueryResult>
    </Section>
  );
}

function Report({ report }: { readonly report: SpendingReport }) {
  const { total, credentials } = report;
  if (total === 0 && credentials.length === 0) return <p>{messages.noSpending}</p>;
  return (
    <>
      {total > 0 && <CreditReport report={report} />}
      {credentials.length > 0 && (
        <>
          <h3>{messages.byKey}</h3>
          <Table
            label={messages.byKey}
            columns={KEY_COLUMNS}
            rows={credentials}
            getKey={({ credentialId }) => credentialId}
          />
        </>
      )}
    </>
  );
}

const KEY_COLUMNS: readonly Column<SpendingReport['credentials'][number]>[] = [
  { title: messages.key, cell: ({ name }) => <Truncated text={name} /> },
  { title: messages.provider, cell: ({ kind }) => sharedMessages.provider(kind) },
  {
    title: messages.calls,
    align: 'end',
    cell: ({ calls, unpricedCalls }) => messages.callsOf(calls, unpricedCalls),
  },
  { title: messages.usd, align: 'end', cell: ({ costUsd }) => formatUsd(costUsd) },
];

function CreditReport({ report: { total, days, models, workflows } }: { readonly report: SpendingReport }) {
  return (
    <>
      <DetailList details={[[messages.spent, formatNumber(total)]]} />
      <DayChart days={days} />
      <h3>{messages.byModel}</h3>
      <Table
        label={messages.byModel}
        columns={createModelColumns(Math.max(...models.map(({ credits }) => credits)))}
        rows={models}
        getKey={({ nodeType }) => nodeType ?? ''}
      />
      {workflows.length > 0 && (
        <>
          <h3>{messages.byWorkflow}</h3>
          <Table
            label={messages.byWorkflow}
            columns={WORKFLOW_COLUMNS}
            rows={workflows}
            getKey={({ id }) => id}
          />
        </>
      )}
    </>
  );
}

const createModelColumns = (fullBarCredits: number): readonly Column<SpendingReport['models'][number]>[] => [
  {
    title: messages.model,
    cell: ({ label, nodeType }) => <Truncated text={label ?? nodeType ?? messages.unknownModel} />,
  },
  {
    title: messages.share,
    isTitleHidden: true,
    cell: ({ credits }) => (
      <span className={styles.track}>
        <span className={styles.share} style={{ inlineSize: `${(100 * credits) / fullBarCredits}%` }} />
      </span>
    ),
  },
  { title: messages.calls, align: 'end', cell: ({ charges }) => formatNumber(charges) },
  { title: messages.credits, align: 'end', cell: ({ credits }) => formatNumber(credits) },
];

const WORKFLOW_COLUMNS: readonly Column<SpendingReport['workflows'][number]>[] = [
  {
    title: messages.workflow,
    cell: ({ id, name }) => (name === null ? messages.deletedWorkflow : <a href={`/flow/${id}`}>{name}</a>),
  },
  { title: messages.credits, align: 'end', cell: ({ credits }) => formatNumber(credits) },
];
