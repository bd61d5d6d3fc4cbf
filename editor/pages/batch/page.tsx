// Renders the page of a batch: its progress and actions, and its rows as a grid, a table or a matrix.

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useParams } from 'wouter';
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Failure } from '../../kit/failure.tsx';
import { FilterInput, FilterSelect } from '../../kit/filter-bar.tsx';
import { useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useSearchFilters } from '../../lib/use-search-filters.ts';
import { Actions } from './actions.tsx';
import { getInitialView } from './axes.ts';
import { RUNS_CRUMB, TONES } from './batch.ts';
import { Compare } from './compare.tsx';
import { Grid } from './grid.tsx';
import { AxisControls, Matrix } from './matrix.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { findLoadedRows, listIndexes, toPendingRow, toRowsPath, useBatch, useRows } from './use-batch.ts';
import type { CardsProps } from './use-cards.ts';

export function Page() {
  const { id = '' } = useParams<{ id: string }>();
  return <QueryResult query={useBatch(id)}>{batch => <BatchDetails batch={batch} />}</QueryResult>;
}

function BatchDetails({ batch }: { readonly batch: Batch }) {
  return (
    <article className={styles.batch}>
      <PageHead
        title={messages.title(batch.workflowName)}
        parents={[RUNS_CRUMB, { title: messages.listTitle, href: '/batches' }]}
      >
        <ButtonLink href={`/flow/${batch.workflowId}`}>{messages.open}</ButtonLink>
        <Actions batch={batch} />
      </PageHead>
      <Progress batch={batch} />
      <Rows batch={batch} />
    </article>
  );
}

const BAR_PARTS = ['completed', 'failed', 'cancelled', 'running'] as const;

function Progress({ batch }: { readonly batch: Batch }) {
  const { status, reason, counts, credits, maxCredits } = batch;
  const endedCount = counts.completed + counts.failed + counts.cancelled + counts.skipped;
  const elapsedMs = Date.now() - Date.parse(batch.createdAt);
  const remainingMs = endedCount === 0 ? undefined : (elapsedMs / endedCount) * (counts.total - endedCount);
  return (
    <section className={styles.progress}>
      <p className={styles.figures}>
        <Badge tone={TONES[status]}>{messages.statuses[status]}</Badge>
        <strong>{messages.done(counts.completed, counts.total)}</strong>
        {counts.failed > 0 && <span className={styles.failed}>{messages.failed(counts.failed)}</span>}
        {status === 'RUNNING' && remainingMs !== undefined && <span>{messages.timeLeft(remainingMs)}</span>}
        {credits.estimated > 0 && <span>{messages.charged(credits.charged, credits.estimated)}</span>}
        {maxCredits !== null && <span>{messages.limit(maxCredits)}</span>}
        <RelativeTime time={batch.createdAt} />
      </p>
      <div className={styles.bar} role="presentation">
        {BAR_PARTS.map(part => (
          <span key={part} data-part={part} style={{ width: `${(100 * counts[part]) / counts.total}%` }} />
        ))}
      </div>
      {reason !== null && (
        <p className={styles.note}>{messages.reasons[reason] ?? messages.otherReason(reason)}</p>
      )}
      {status === 'PAUSED' && <p className={styles.note}>{messages.paused}</p>}
    </section>
  );
}

const ROW_FILTERS: Readonly<Record<string, string>> = {
  '': messages.all,
  picked: messages.picked,
  ...messages.rowStatuses,
};

function Rows({ batch }: { readonly batch: Batch }) {
  const client = useQueryClient();
  const { search, change } = useSearchFilters();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [comparedRows, setComparedRows] = useState<readonly number[]>([]);
  const axes = batch.axes ?? [];
  const [view, setView] = useState(() => getInitialView(axes));
  const [jumpTo, setJumpTo] = useState<number>();
  const hasMatrix = axes.length > 1;
  const layout = search.get('view') ?? (hasMatrix ? 'matrix' : 'grid');
  const isMatrix = layout === 'matrix';
  const show = search.get('show') ?? '';
  const sort = search.get('sort') ?? '';
  const renderFilter = (name: 'view' | 'show' | 'sort', options: Readonly<Record<string, string>>) => (
    <FilterSelect
      label={messages[name]}
      value={search.get(name) ?? ''}
      options={options}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  );
  const cards = {
    batchId: batch.id,
    selected,
    onSelect: setSelected,
    onOpen: (row: number) => setComparedRows([row]),
  };
  return (
    <section aria-label={messages.results} className={styles.rows}>
      <div className={styles.tools}>
        {renderFilter('view', hasMatrix ? messages.views : messages.viewsWithoutMatrix)}
        {isMatrix ? (
          <AxisControls batch={batch} axes={axes} view={view} onChange={setView} />
        ) : (
          <>
            {renderFilter('show', ROW_FILTERS)}
            {renderFilter('sort', messages.sorts)}
            <GoToRow
              total={batch.counts.total}
              onGo={next => {
                if (show !== '' || sort !== '') change({ show: '', sort: '' });
                setJumpTo(next);
              }}
            />
          </>
        )}
        {selected.size > 1 && (
          <Button onClick={() => setComparedRows([...selected])}>{messages.compare(selected.size)}</Button>
        )}
      </div>
      <p className={styles.note}>{messages.keys}</p>
      {isMatrix ? (
        <Matrix axes={axes} view={view} {...cards} />
      ) : show === '' && sort === '' ? (
        <AllRows
          total={batch.counts.total}
          jumpTo={jumpTo}
          onJumped={() => setJumpTo(undefined)}
          isTable={layout === 'table'}
          {...cards}
        />
      ) : (
        <FilteredRows show={show} sort={sort} isTable={layout === 'table'} {...cards} />
      )}
      {comparedRows.length > 0 && (
        <Compare
          workflowId={batch.workflowId}
          rows={findLoadedRows(client, batch.id, comparedRows)}
          onClose={() => setComparedRows([])}
        />
      )}
    </section>
  );
}

interface RowListProps extends CardsProps {
  readonly show: string;
  readonly sort: string;
  readonly isTable: boolean;
}

/** Renders the rows of a filter, which are read page by page. */
function FilteredRows({ show, sort, ...cards }: RowListProps) {
  const list = useList(toRowsPath(cards.batchId), {
    limit: 200,
    ...(show === '' ? {} : show === 'picked' ? { picked: 'true' } : { status: show }),
    ...(sort === '' ? {} : { sort }),
  });
  const { data: rows, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const count = rows?.length ?? 0;
  const loadMore = useCallback(
    (_first: number, last: number) => {
      if (last >= count - LOAD_AHEAD && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [count, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  if (rows === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  if (count === 0) return <p className={styles.note}>{messages.noRows}</p>;
  return <Grid count={count} findRow={index => rows[index] as BatchRow} onView={loadMore} {...cards} />;
}

/** The next page is read this many rows before the end. */
const LOAD_AHEAD = 24;

interface AllRowsProps extends CardsProps {
  readonly total: number;
  readonly isTable: boolean;
  readonly jumpTo: number | undefined;
  readonly onJumped: () => void;
}

/** Renders all rows, and reads those that are in view. */
function AllRows({ total, ...cards }: AllRowsProps) {
  const [view, setView] = useState({ first: 0, last: 0 });
  const onView = useCallback((first: number, last: number) => setView({ first, last }), []);
  const { first, last } = useDebounced(view, SCROLL_PAUSE_MS);
  const blocks = listIndexes(Math.floor(first / BLOCK), Math.floor(last / BLOCK) + 1).map(block =>
    listIndexes(block * BLOCK + 1, Math.min(total, (block + 1) * BLOCK) + 1),
  );
  const { rows, error, retry } = useRows(cards.batchId, blocks);
  return (
    <>
      {error !== null && <Failure error={error} onRetry={retry} />}
      <Grid
        count={total}
        findRow={index => rows.get(index + 1) ?? toPendingRow(index + 1)}
        onView={onView}
        {...cards}
      />
    </>
  );
}

/** The number of rows that are read at a time. */
const BLOCK = 100;
/** Rows that the user only scrolls past are not read. */
const SCROLL_PAUSE_MS = 80;

/** Renders a field for the number of a row to show. */
function GoToRow({ total, onGo }: { readonly total: number; readonly onGo: (index: number) => void }) {
  return (
    <form
      className={styles.jump}
      onSubmit={event => {
        event.preventDefault();
        const row = Number(new FormData(event.currentTarget).get('row'));
        if (row >= 1) onGo(Math.min(total, Math.trunc(row)) - 1);
      }}
    >
      <FilterInput label={messages.goTo} name="row" type="number" min={1} max={total} required />
      <Button type="submit">{messages.go}</Button>
    </form>
  );
}
