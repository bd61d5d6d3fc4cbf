// Renders the overview of the instance: health, runs and failures of a day, spending of the month, low balances.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Failures, Overview as OverviewResponse } from '../../../../sdk/src/schemas.ts';
import { Badge, type Tone } from '../../../kit/badge.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { VisuallyHidden } from '../../../kit/visually-hidden.tsx';
import { api } from '../../../lib/api.ts';
import { formatBytes, formatExact, formatNumber, formatUsd } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction, Section, Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import styles from './overview.module.css';

const REFRESH_MS = 60_000;
const DAY_MS = 86_400_000;

export function Overview() {
  const overview = useQuery({
    ...apiQuery(['/admin/overview']),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <PageHead title={settingsMessages.parts.overview} />
      <Introduction>{messages.description}</Introduction>
      <QueryResult query={overview}>
        {data => (
          <>
            <Health overview={data} />
            <Runs runs={data.runs} />
            <FailureGroups />
            <Spending spending={data.spending} />
            <LowBalances balances={data.lowBalances} />
          </>
        )}
      </QueryResult>
    </>
  );
}

function Health({ overview }: { readonly overview: OverviewResponse }) {
  const { health, database, storage, lastBackup, version } = overview;
  const kind = storage.kind === 'bucket' ? messages.bucket : messages.onDisk;
  return (
    <Section title={messages.health} actions={<Badge>{messages.version(version)}</Badge>}>
      <ul className={styles.tiles}>
        <Tile title={messages.parts.database} state={health.database}>
          {database.version !== null && `${messages.postgres(database.version)} · `}
          {formatBytes(database.bytes)}
        </Tile>
        <Tile title={messages.parts.queue} state={health.queue}>
          <Link href="/settings/workload">{messages.viewQueue}</Link>
        </Tile>
        <Tile title={messages.parts.storage} state={health.storage}>
          {kind} · {formatBytes(storage.mediaBytes)}
        </Tile>
        <ProviderTile />
        <DiskTile disk={storage.disk} />
        <Tile
          title={messages.backup}
          badge={lastBackup === null ? <Badge tone="warning">{messages.noBackup}</Badge> : undefined}
        >
          {lastBackup !== null && (
            <>
              <RelativeTime time={lastBackup.createdAt} /> ·{' '}
            </>
          )}
          <Link href="/settings/backup">{messages.makeBackup}</Link>
        </Tile>
      </ul>
    </Section>
  );
}

interface TileProps {
  readonly title: string;
  /** `ok`, or a description of the problem. */
  readonly state?: string | undefined;
  readonly badge?: ReactNode;
  readonly children: ReactNode;
}

function Tile({ title, state, badge, children }: TileProps) {
  return (
    <li className={styles.tile}>
      <div className={styles.tileHead}>
        <h3>{title}</h3>
        {state !== undefined && (
          <Badge tone={state === 'ok' ? 'success' : 'danger'}>{state === 'ok' ? messages.ok : state}</Badge>
        )}
        {badge}
      </div>
      <p>{children}</p>
    </li>
  );
}

const DISK_TONES: readonly (readonly [below: number, tone: Tone])[] = [
  [0.05, 'danger'],
  [0.15, 'warning'],
];

function DiskTile({ disk }: Pick<OverviewResponse['storage'], 'disk'>) {
  if (disk === null) return <Tile title={messages.disk}>{messages.diskUnknown}</Tile>;
  const freeShare = disk.freeBytes / Math.max(1, disk.totalBytes);
  const tone = DISK_TONES.find(([below]) => freeShare < below)?.[1] ?? 'success';
  return (
    <Tile title={messages.disk} badge={<Badge tone={tone}>{messages.diskUsed(1 - freeShare)}</Badge>}>
      {messages.diskFree(formatBytes(disk.freeBytes), formatBytes(disk.totalBytes))}
    </Tile>
  );
}

/** Renders the state of the providers. Their checks have their own request, because providers may respond slowly. */
function ProviderTile() {
  const credentials = useQuery(apiQuery(['/credentials'], { owner: 'instance', limit: MAX_KEYS }));
  const checks = useQuery(apiQuery(['/admin/providers']));
  const keys = credentials.data?.data;
  if (keys === undefined) return <Tile title={messages.providers}>…</Tile>;
  const configured = new Set(keys.map(({ kind }) => kind));
  if (configured.size === 0)
    return (
      <Tile title={messages.providers} badge={<Badge tone="warning">{messages.noProviders}</Badge>}>
        <Link href="/settings/providers">{messages.addKey}</Link>
      </Tile>
    );
  const failingProviders = new Set([
    ...keys.filter(({ status }) => status === 'failed').map(({ kind }) => sharedMessages.provider(kind)),
    ...(checks.data?.providers.filter(({ answers }) => answers === false).map(({ label }) => label) ?? []),
  ]);
  return (
    <Tile
      title={messages.providers}
      {...(failingProviders.size === 0
        ? { state: 'ok' }
        : { badge: <Badge tone="danger">{messages.problem}</Badge> })}
    >
      <Link href="/settings/providers">
        {failingProviders.size === 0
          ? messages.providersReady(configured.size)
          : messages.failing([...failingProviders].join(', '))}
      </Link>
    </Tile>
  );
}

const MAX_KEYS = 200;

function Runs({ runs }: { readonly runs: OverviewResponse['runs'] }) {
  const { hours, completed, failed, cancelled, active, isCut } = runs;
  const endedCount = completed + failed;
  const max = Math.max(1, ...hours.map(hour => hour.completed + hour.failed));
  return (
    <Section
      title={messages.runs}
      actions={
        <ButtonLink size="s" href="/executions?of=instance&period=day">
          {messages.viewRuns}
        </ButtonLink>
      }
    >
      <DetailList
        details={[
          [messages.outcomes.completed, formatNumber(completed)],
          [messages.outcomes.failed, formatNumber(failed)],
          [messages.failureRate, endedCount === 0 ? '–' : messages.rate(failed / endedCount)],
          [messages.outcomes.cancelled, formatNumber(cancelled)],
          [messages.outcomes.active, formatNumber(active)],
        ]}
      />
      <figure className={styles.chart}>
        <ol className={styles.bars}>
          {hours.map(hour => {
            const text = messages.hour(formatExact(Date.parse(hour.from)), hour.completed, hour.failed);
            return (
              <li key={hour.from} title={text}>
                <span className={styles.failed} style={{ height: `${(100 * hour.failed) / max}%` }} />
                <span className={styles.completed} style={{ height: `${(100 * hour.completed) / max}%` }} />
                <VisuallyHidden>{text}</VisuallyHidden>
              </li>
            );
          })}
        </ol>
        <figcaption className={styles.legend}>
          <span data-outcome="completed">{messages.outcomes.completed}</span>
          <span data-outcome="failed">{messages.outcomes.failed}</span>
          {isCut && <span>{messages.cut}</span>}
        </figcaption>
      </figure>
    </Section>
  );
}

type FailureGroup = Failures['groups'][number];

function FailureGroups() {
  const { data, error } = useQuery({
    queryKey: ['/admin/failures', 'day'],
    queryFn: ({ signal }) =>
      api.get('/admin/failures', {
        query: { createdAfter: new Date(Date.now() - DAY_MS).toISOString(), personal: true },
        signal,
      }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section title={messages.failures}>
      {error !== null && <Failure error={error} />}
      {data?.groups.length === 0 && <p>{messages.noFailures}</p>}
      {data !== undefined && data.groups.length > 0 && (
        <Table
          label={messages.failures}
          columns={FAILURE_COLUMNS}
          rows={data.groups.slice(0, MAX_GROUPS)}
          getKey={({ code, nodeType }) => `${code} ${nodeType}`}
        />
      )}
    </Section>
  );
}

const MAX_GROUPS = 8;

const toRunsHref = ({ code, nodeType }: FailureGroup): string =>
  `/executions?${new URLSearchParams({
    of: 'instance',
    period: 'day',
    personal: 'true',
    errorCode: code,
    ...(nodeType === null ? {} : { failedNodeType: nodeType }),
  })}`;

const FAILURE_COLUMNS: readonly Column<FailureGroup>[] = [
  {
    title: messages.error,
    cell: group => (
      <span className={styles.error}>
        <Link href={toRunsHref(group)}>{group.code}</Link>
        <span title={group.message}>{group.message}</span>
      </span>
    ),
  },
  { title: messages.node, cell: ({ label, nodeType }) => label ?? nodeType ?? '–' },
  { title: messages.affected, cell: ({ workflows, users }) => messages.affects(workflows, users) },
  { title: messages.lastAt, cell: ({ lastAt }) => <RelativeTime time={lastAt} /> },
  { title: messages.count, align: 'end', cell: ({ runs }) => formatNumber(runs) },
];

interface SpendingRow {
  readonly key: string;
  readonly name: string;
  readonly credits: number;
  readonly charges: number;
}

function Spending({ spending }: { readonly spending: OverviewResponse['spending'] }) {
  const { total, lastMonth, users, teams, models, providers, ownKeys } = spending;
  const lists: Readonly<Record<keyof typeof messages.by, readonly SpendingRow[]>> = {
    users: users.map(({ userId, name, ...spent }) => ({
      key: String(userId),
      name: name ?? messages.unknown,
      ...spent,
    })),
    teams: teams.map(({ teamId, name, ...spent }) => ({
      key: teamId ?? '',
      name: name ?? (teamId === null ? messages.personal : messages.deleted),
      ...spent,
    })),
    models: models.map(({ nodeType, label, credits, charges }) => ({
      key: nodeType ?? '',
      name: label ?? nodeType ?? messages.unknown,
      credits,
      charges,
    })),
    providers: providers.map(({ name, label, ...spent }) => ({
      key: name ?? '',
      name: label ?? messages.otherProvider,
      ...spent,
    })),
  };
  return (
    <Section title={messages.spending}>
      <DetailList
        details={[
          [messages.total, formatNumber(total)],
          [messages.lastMonth, formatNumber(lastMonth)],
          [messages.ownKeys, formatUsd(ownKeys.costUsd)],
          [messages.ownKeysLastMonth, formatUsd(ownKeys.lastMonthUsd)],
        ]}
      />
      {total === 0 ? (
        <p>{messages.noSpending}</p>
      ) : (
        <div className={styles.lists}>
          {(Object.keys(lists) as (keyof typeof lists)[]).map(dimension => (
            <div key={dimension}>
              <h3>{messages.by[dimension]}</h3>
              <Table
                label={messages.by[dimension]}
                columns={createSpendingColumns(total)}
                rows={lists[dimension]}
                getKey={({ key }) => key}
              />
            </div>
          ))}
        </div>
      )}
      {ownKeys.providers.length > 0 && (
        <>
          <h3>{messages.byOwnKey}</h3>
          <Table
            label={messages.byOwnKey}
            columns={OWN_KEY_COLUMNS}
            rows={ownKeys.providers}
            getKey={({ name }) => name}
          />
        </>
      )}
    </Section>
  );
}

type OwnKey = OverviewResponse['spending']['ownKeys']['providers'][number];

const OWN_KEY_COLUMNS: readonly Column<OwnKey>[] = [
  { title: messages.name, cell: ({ label, name }) => label ?? name },
  {
    title: messages.calls,
    align: 'end',
    cell: ({ calls, unpricedCalls }) => messages.callsOf(calls, unpricedCalls),
  },
  { title: messages.usd, align: 'end', cell: ({ costUsd }) => formatUsd(costUsd) },
];

const createSpendingColumns = (total: number): readonly Column<SpendingRow>[] => [
  { title: messages.name, cell: ({ name }) => <Truncated text={name} /> },
  { title: messages.calls, align: 'end', cell: ({ charges }) => formatNumber(charges) },
  { title: messages.credits, align: 'end', cell: ({ credits }) => formatNumber(credits) },
  { title: messages.share, align: 'end', cell: ({ credits }) => messages.rate(credits / total) },
];

type LowBalance = OverviewResponse['lowBalances'][number];

function LowBalances({ balances }: { readonly balances: readonly LowBalance[] }) {
  return (
    <Section title={messages.low}>
      {balances.length === 0 ? (
        <p>{messages.noLow}</p>
      ) : (
        <Table
          label={messages.low}
          columns={LOW_COLUMNS}
          rows={balances}
          getKey={({ teamId, userId }) => teamId ?? `user ${userId}`}
        />
      )}
    </Section>
  );
}

const LOW_COLUMNS: readonly Column<LowBalance>[] = [
  {
    title: messages.workspace,
    cell: ({ teamId, name }) => (
      <Link
        href={
          teamId === null
            ? `/settings/users?${new URLSearchParams({ query: name })}`
            : `/settings/all-teams?${new URLSearchParams({ query: name })}`
        }
        aria-label={messages.addCreditsTo(name)}
      >
        {name}
      </Link>
    ),
  },
  { title: messages.balance, align: 'end', cell: ({ balance }) => formatNumber(balance) },
];
