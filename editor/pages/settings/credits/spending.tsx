// Renders spending per day, and by model and workflow.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Spending as Spent } from '../../../../sdk/src/schemas.ts';
import { Failure } from '../../../kit/failure.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/format.ts';
import { Facts, Section, Truncated } from '../section.tsx';
import styles from './credits.module.css';
import { DayChart } from './day-chart.tsx';
import { texts } from './messages.ts';

const USUAL_DAYS = 30;

export function Spending() {
  const [days, setDays] = useState(USUAL_DAYS);
  const { data, error, refetch } = useQuery({
    queryKey: ['/credits', 'spending', days],
    queryFn: ({ signal }) => api.get<Spent>('/credits/spending', { query: { days }, signal }),
  });
  return (
    <Section
      title={texts.spending}
      actions={
        <SelectField
          label={texts.period}
          value={days}
          onChange={event => setDays(Number(event.target.value))}
        >
          {texts.periods.map(([count, text]) => (
            <option key={count} value={count}>
              {text}
            </option>
          ))}
        </SelectField>
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && (data === undefined ? <Loading /> : <Figures spent={data} />)}
    </Section>
  );
}

function Figures({ spent: { total, days, models, workflows } }: { readonly spent: Spent }) {
  if (total === 0) return <p>{texts.noSpending}</p>;
  return (
    <>
      <Facts facts={[[texts.spent, formatNumber(total)]]} />
      <DayChart days={days} />
      <h3>{texts.byModel}</h3>
      <Table
        label={texts.byModel}
        columns={modelColumns(Math.max(...models.map(({ credits }) => credits)))}
        rows={models}
        getKey={({ nodeType }) => nodeType ?? ''}
      />
      {workflows.length > 0 && (
        <>
          <h3>{texts.byWorkflow}</h3>
          <Table
            label={texts.byWorkflow}
            columns={WORKFLOW_COLUMNS}
            rows={workflows}
            getKey={({ id }) => id}
          />
        </>
      )}
    </>
  );
}

/** `most` is the value of a full bar. */
const modelColumns = (most: number): readonly Column<Spent['models'][number]>[] => [
  {
    title: texts.model,
    cell: ({ label, nodeType }) => <Truncated text={label ?? nodeType ?? texts.oldModel} />,
  },
  {
    title: texts.share,
    isTitleHidden: true,
    cell: ({ credits }) => (
      <span className={styles.track}>
        <span className={styles.share} style={{ inlineSize: `${(100 * credits) / most}%` }} />
      </span>
    ),
  },
  { title: texts.calls, align: 'end', cell: ({ charges }) => formatNumber(charges) },
  { title: texts.credits, align: 'end', cell: ({ credits }) => formatNumber(credits) },
];

const WORKFLOW_COLUMNS: readonly Column<Spent['workflows'][number]>[] = [
  {
    title: texts.workflow,
    cell: ({ id, name }) => (name === null ? texts.deletedWorkflow : <a href={`/flow/${id}`}>{name}</a>),
  },
  { title: texts.credits, align: 'end', cell: ({ credits }) => formatNumber(credits) },
];
