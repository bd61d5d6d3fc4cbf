// Renders what a workspace, or the instance, spent in a period, by a group that people choose, and filters by the rows.
import Download from 'icon:download';
import Close from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import type { SpendingReport } from '../../../../sdk/src/schemas.ts';
import { Button, ButtonAnchor, ButtonLink } from '../../../kit/button.tsx';
import { FilterBar, FilterInput, FilterSelect } from '../../../kit/filter-bar.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { formatNumber, formatUsd } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { pickFilters, useSearchFilters } from '../../../lib/use-search-filters.ts';
import { DayChart } from '../credits/day-chart.tsx';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction, Section, Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import { getDays, type PeriodName } from './period.ts';
import styles from './spending.module.css';

type Group = SpendingReport['groupBy'];
type Row = SpendingReport['data'][number];

const GROUPS = Object.keys(messages.groups) as Group[];

export function Spending() {
  const { workspace } = useSession();
  const audit = workspace.teamId === null ? undefined : `/settings/team-audit?teamId=${workspace.teamId}&`;
  return (
    <Report
      key={workspace.teamId}
      path={['/credits', 'spending']}
      title={settingsMessages.parts.spending}
      description={messages.description(workspace.name)}
      groups={GROUPS.filter(group => group !== 'team')}
      auditHref={audit}
    />
  );
}

export function AllSpending() {
  return (
    <Report
      path={['/admin', 'spending']}
      title={settingsMessages.parts['all-spending']}
      description={messages.instanceDescription}
      groups={GROUPS}
      auditHref="/settings/audit?"
    />
  );
}

interface ReportProps {
  readonly path: readonly ['/credits' | '/admin', 'spending'];
  readonly title: string;
  readonly description: string;
  readonly groups: readonly Group[];
  /** The audit log, without the action; undefined for a personal workspace. */
  readonly auditHref: string | undefined;
}

function Report({ path, title, description, groups, auditHref }: ReportProps) {
  const { search, change } = useSearchFilters();
  const groupBy = (search.get('by') ?? groups[0]) as Group;
  const period = (search.get('period') ?? 'month') as PeriodName;
  const days = { ...getDays(period, Date.now()), ...pickFilters(search, ['from', 'to']) };
  const filters = pickFilters(search, groups);
  const query = { groupBy, ...days, ...filters };
  const report = useQuery(apiQuery<SpendingReport>(path, query));
  /** Shows the costs of a row by the next group. */
  const showOnly = ({ key, label }: Row): void => {
    const next = groups.find(group => group !== groupBy && filters[group] === undefined) ?? groupBy;
    change({ [groupBy]: key ?? 'null', [`${groupBy}-label`]: label, by: next });
  };
  return (
    <>
      <PageHead title={title}>
        <ButtonAnchor
          icon={Download}
          href={`/api/v1${path.join('/')}?${new URLSearchParams({ ...query, format: 'csv' })}`}
          download="spending.csv"
        >
          {messages.download}
        </ButtonAnchor>
      </PageHead>
      <Introduction>{description}</Introduction>
      <FilterBar>
        <FilterSelect
          label={messages.groupBy}
          options={groups.map(group => [group, messages.groups[group]])}
          value={groupBy}
          onChange={event => change({ by: event.target.value })}
        />
        <FilterSelect
          label={messages.period}
          options={Object.entries(messages.periods)}
          value={period}
          onChange={event => change({ period: event.target.value, from: '', to: '' })}
        />
        {period === 'custom' &&
          (['from', 'to'] as const).map(name => (
            <FilterInput
              key={name}
              type="date"
              label={messages[name]}
              value={days[name]}
              onChange={event => change({ [name]: event.target.value })}
            />
          ))}
        {groups
          .filter(group => filters[group] !== undefined)
          .map(group => {
            const label = messages.only(
              messages.groups[group],
              search.get(`${group}-label`) ?? filters[group] ?? '',
            );
            return (
              <Button
                key={group}
                size="s"
                icon={Close}
                aria-label={messages.remove(label)}
                onClick={() => change({ [group]: '', [`${group}-label`]: '' })}
              >
                {label}
              </Button>
            );
          })}
      </FilterBar>
      <QueryResult query={report}>
        {data => <Costs report={data} title={messages.groups[groupBy]} onChoose={showOnly} />}
      </QueryResult>
      {auditHref !== undefined && (
        <Section title={messages.allowed}>
          <div className={styles.links}>
            {Object.entries(messages.changes).map(([action, text]) => (
              <ButtonLink key={action} size="s" href={`${auditHref}action=${action}`}>
                {text}
              </ButtonLink>
            ))}
          </div>
        </Section>
      )}
    </>
  );
}

interface CostsProps {
  readonly report: SpendingReport;
  readonly title: string;
  readonly onChoose: (row: Row) => void;
}

function Costs({ report: { total, data, others, days }, title, onChoose }: CostsProps) {
  if (data.length === 0) return <p>{messages.none}</p>;
  const rows = others.calls === 0 ? data : [...data, { key: OTHERS, label: messages.others, ...others }];
  return (
    <div className={styles.costs}>
      <DetailList
        details={[
          [messages.total, messages.amount(total.credits, total.usd)],
          [messages.calls, messages.totalOf(total.calls, total.runs)],
        ]}
      />
      {total.credits > 0 && <DayChart days={days} />}
      <Table
        label={title}
        columns={createColumns(title, total, onChoose)}
        rows={rows}
        getKey={({ key }) => key ?? 'null'}
      />
    </div>
  );
}

const OTHERS = ' others';

function createColumns(
  title: string,
  total: SpendingReport['total'],
  onChoose: (row: Row) => void,
): readonly Column<Row>[] {
  const hasUsd = total.usd > 0;
  return [
    {
      title,
      cell: row =>
        row.key === OTHERS ? (
          row.label
        ) : (
          <button
            type="button"
            className={styles.row}
            aria-label={messages.showOnly(row.label)}
            onClick={() => onChoose(row)}
          >
            <Truncated text={row.label} />
          </button>
        ),
    },
    {
      title: messages.runs,
      align: 'end',
      cell: ({ key, runs }) => (key === OTHERS ? '' : formatNumber(runs)),
    },
    { title: messages.calls, align: 'end', cell: ({ calls }) => formatNumber(calls) },
    ...(hasUsd
      ? [{ title: messages.usd, align: 'end' as const, cell: ({ usd }: Row) => formatUsd(usd) }]
      : []),
    { title: messages.credits, align: 'end', cell: ({ credits }) => formatNumber(credits) },
  ];
}
