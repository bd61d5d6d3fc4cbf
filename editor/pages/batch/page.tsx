// Renders the page of a batch: its progress and actions, and its rows as a grid.
import { useCallback, useState } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Failure } from '../../kit/failure.tsx';
import { FilterSelect } from '../../kit/filter-bar.tsx';
import { useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { useWorkflowNames } from '../../lib/runs.ts';
import { Actions } from './actions.tsx';
import { Compare } from './compare.tsx';
import { Grid } from './grid.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { toRowsPath, useBatch } from './use-batch.ts';

export function Page() {
  const { id = '' } = useParams<{ id: string }>();
  const { data: batch, error, refetch } = useBatch(id);
  if (batch === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  return <BatchDetails batch={batch} />;
}

function BatchDetails({ batch }: { readonly batch: Batch }) {
  const names = useWorkflowNames();
  return (
    <article className={styles.batch}>
      <div>
        <Link href="/batches">{messages.back}</Link>
        <PageHead title={messages.title(names.get(batch.workflowId) ?? batch.workflowId)}>
          <ButtonLink href={`/flow/${batch.workflowId}`}>{messages.open}</ButtonLink>
          <Actions batch={batch} />
        </PageHead>
      </div>
      <Progress batch={batch} />
      <Rows batchId={batch.id} />
    </article>
  );
}

export const TONES: Readonly<Record<Batch['status'], Tone>> = {
  RUNNING: 'accent',
  PAUSED: 'warning',
  STOPPING: 'warning',
  STOPPED: 'neutral',
  COMPLETED: 'success',
};

const PARTS = ['completed', 'failed', 'cancelled', 'running'] as const;

function Progress({ batch }: { readonly batch: Batch }) {
  const { status, reason, counts, credits, maxCredits } = batch;
  const ended = counts.completed + counts.failed + counts.cancelled + counts.skipped;
  const elapsedMs = Date.now() - Date.parse(batch.createdAt);
  const leftMs = ended === 0 ? undefined : (elapsedMs / ended) * (counts.total - ended);
  return (
    <section className={styles.progress}>
      <p className={styles.figures}>
        <Badge tone={TONES[status]}>{messages.statuses[status]}</Badge>
        <strong>{messages.done(counts.completed, counts.total)}</strong>
        {counts.failed > 0 && <span className={styles.failed}>{messages.failed(counts.failed)}</span>}
        {status === 'RUNNING' && leftMs !== undefined && <span>{messages.timeLeft(leftMs)}</span>}
        {credits.estimated > 0 && <span>{messages.charged(credits.charged, credits.estimated)}</span>}
        {maxCredits !== null && <span>{messages.limit(maxCredits)}</span>}
        <RelativeTime time={batch.createdAt} />
      </p>
      <div className={styles.bar} role="presentation">
        {PARTS.map(part => (
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

const FILTERS: Readonly<Record<string, string>> = {
  '': messages.all,
  picked: messages.picked,
  ...messages.rowStatuses,
};

function Rows({ batchId }: { readonly batchId: string }) {
  const [search, setSearch] = useSearchParams();
  const filter = search.get('show') ?? '';
  const query = filter === '' ? {} : filter === 'picked' ? { picked: 'true' } : { status: filter };
  const list = useList<BatchRow>(toRowsPath(batchId), { limit: 200, ...query });
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [compared, setCompared] = useState<readonly number[]>([]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const rows = list.data?.pages.flatMap(page => page.items) ?? [];
  const find = (numbers: Iterable<number>): readonly BatchRow[] => {
    const wanted = new Set(numbers);
    return rows.filter(({ row }) => wanted.has(row));
  };
  return (
    <section aria-label={messages.results} className={styles.rows}>
      <div className={styles.tools}>
        <FilterSelect
          label={messages.filter}
          value={filter}
          options={FILTERS}
          onChange={({ target: { value } }) =>
            setSearch(value === '' ? {} : { show: value }, { replace: true })
          }
        />
        {selected.size > 1 && (
          <Button onClick={() => setCompared([...selected])}>{messages.compare(selected.size)}</Button>
        )}
      </div>
      {list.data === undefined &&
        (list.error === null ? (
          <Loading />
        ) : (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ))}
      {list.data !== undefined && rows.length === 0 && <p className={styles.note}>{messages.noRows}</p>}
      {rows.length > 0 && (
        <Grid
          batchId={batchId}
          rows={rows}
          selected={selected}
          onSelect={setSelected}
          onOpen={row => setCompared([row])}
          onNearEnd={loadMore}
        />
      )}
      {compared.length > 0 && <Compare rows={find(compared)} onClose={() => setCompared([])} />}
    </section>
  );
}
