// Renders the run history: each run with its picture, the inputs that differ from the board, its price and who ran it.

import Play from 'icon:play';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { hasEnded, type ListedExecution } from '../../../../sdk/src/types.ts';
import { messages } from '../../../flow-messages.ts';
import { RunBadge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { FilterSelect } from '../../../kit/filter-bar.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { getMediaKind } from '../../../kit/media-kind.ts';
import { Thumbnail } from '../../../kit/media-view.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { formatDuration, formatNumber } from '../../../lib/format.ts';
import { getDurationMs } from '../../../lib/runs.ts';
import { useHasBeenVisible } from '../../../lib/use-visibility.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import { getResults } from '../../../session/runs/results.ts';
import { createInputChanges, useApplyInputs } from '../../../session/runs/run-inputs.ts';
import styles from './dock.module.css';

const runsMessages = messages.flow.runs;
const POLL_MS = 3000;
const MAX_INPUTS = 3;

export function RunList() {
  const { session } = useEditor();
  const [words, setWords] = useState('');
  // Webhooks can start many runs a minute, which would hide those of people.
  const [automated, setAutomated] = useState('false');
  const query = useList(
    `/workflows/${session.id}/executions`,
    {
      limit: 30,
      groupBatches: true,
      ...(automated !== '' && { automated }),
      ...(words !== '' && { q: words }),
    },
    runs => !runs.every(hasEnded) && POLL_MS,
  );
  useRefetchOnRun(query.refetch);
  return (
    <>
      <div className={styles.search}>
        <SearchField
          label={runsMessages.search}
          placeholder={runsMessages.searchHint}
          value={words}
          onChange={setWords}
        />
        <FilterSelect
          label={runsMessages.startedBy}
          value={automated}
          options={runsMessages.starters}
          onChange={({ target }) => setAutomated(target.value)}
        />
      </div>
      <InfiniteList
        query={query}
        empty={
          <p className={styles.empty}>
            {words !== '' || automated === 'true' ? runsMessages.noMatch : runsMessages.none}
          </p>
        }
      >
        {runs => (
          <ol className={styles.rows}>
            {runs.map(run =>
              run.batch === null ? (
                <RunRow key={run.id} run={run} />
              ) : (
                <BatchRow key={run.id} run={run} batch={run.batch} />
              ),
            )}
          </ol>
        )}
      </InfiniteList>
    </>
  );
}

/** Reads the list again when the run on the board starts or ends, because the list is not polled while no run is active. */
function useRefetchOnRun(refetch: () => unknown): void {
  const shown = useRun(({ run }) => run && `${run.id} ${run.status}`);
  const read = useRef(shown);
  useEffect(() => {
    if (read.current === shown) return;
    read.current = shown;
    refetch();
  }, [shown, refetch]);
}

/** Renders a batch as one row, which opens the page of the batch. */
function BatchRow({
  run,
  batch,
}: {
  readonly run: ListedExecution;
  readonly batch: NonNullable<ListedExecution['batch']>;
}) {
  const row = useRef<HTMLLIElement>(null);
  const hasBeenVisible = useHasBeenVisible(row);
  return (
    <li ref={row} className={styles.row}>
      <RunThumbnail run={run} hasBeenVisible={hasBeenVisible} />
      <div className={styles.texts}>
        <div className={styles.title}>
          <a href={`/batches/${batch.id}`}>{runsMessages.batch(formatNumber(batch.total))}</a>
          <span className={styles.muted}>
            <RelativeTime time={run.createdAt} />
          </span>
        </div>
        <span className={styles.muted}>
          {[runsMessages.completed(formatNumber(batch.completed)), run.userName].join(' · ')}
        </span>
      </div>
    </li>
  );
}

function RunRow({ run }: { readonly run: ListedExecution }) {
  const { runs } = useEditor();
  const applyInputs = useApplyInputs();
  const row = useRef<HTMLLIElement>(null);
  const hasBeenVisible = useHasBeenVisible(row);
  const isShown = useRun(state => state.run?.id === run.id);
  const ms = getDurationMs(run);
  const { charged } = run.credits;
  const details = [
    charged > 0 ? messages.flow.credits(charged, formatNumber(charged)) : messages.flow.free,
    // The person of an app run is the owner of the app, as whom visitors run it.
    ...(run.trigger === 'app'
      ? [runsMessages.byVisitor]
      : [run.userName, sharedMessages.runTriggers[run.trigger]]),
    ms === null ? undefined : formatDuration(ms),
    messages.flow.versions.version(run.workflowVersion),
  ];
  return (
    <li ref={row} className={styles.row} aria-current={isShown || undefined}>
      <RunThumbnail run={run} hasBeenVisible={hasBeenVisible} />
      <div className={styles.texts}>
        <div className={styles.title}>
          <RunBadge status={run.status} />
          <span className={styles.muted}>
            <RelativeTime time={run.createdAt} />
          </span>
        </div>
        <span className={styles.muted}>{details.filter(Boolean).join(' · ')}</span>
        {hasBeenVisible && <DifferentInputs executionId={run.id} />}
      </div>
      <div className={styles.buttons}>
        <Button size="s" onClick={() => void runs.show(run.id)}>
          {runsMessages.show}
        </Button>
        <Button size="s" variant="quiet" onClick={() => void applyInputs(run.id)}>
          {runsMessages.useInputs}
        </Button>
      </div>
    </li>
  );
}

/** Renders the last picture of a run. */
export function RunThumbnail({
  run,
  hasBeenVisible,
}: {
  readonly run: Pick<ListedExecution, 'id' | 'status'>;
  readonly hasBeenVisible: boolean;
}) {
  const { data } = useQuery({
    queryKey: ['/executions', run.id, run.status],
    queryFn: ({ signal }) => api.get(`/executions/${run.id}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: hasBeenVisible,
  });
  const results = data?.nodeStates.toReversed().flatMap(getResults) ?? [];
  const picture = results.find(
    result => result.kind === 'media' && ['image', 'video'].includes(getMediaKind(result) ?? ''),
  );
  return (
    <div className={styles.thumbnail}>
      {picture?.kind === 'media' ? <Thumbnail {...picture} /> : <Play />}
    </div>
  );
}

/** Lists the inputs that "Use these inputs" would change. */
function DifferentInputs({ executionId }: { readonly executionId: string }) {
  const board = useBoard(state => state.board);
  const { data = [] } = useQuery({
    queryKey: ['/executions', executionId, 'inputs', board.nodes],
    queryFn: () => createInputChanges(() => board, executionId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const inputs = data.flatMap(change =>
    change.of === 'nodes' && change.after !== undefined ? [change.after] : [],
  );
  if (inputs.length === 0) return null;
  return (
    <dl className={styles.inputs} aria-label={runsMessages.inputs}>
      {inputs.slice(0, MAX_INPUTS).map(({ id, data: { label, config = {} } }) => (
        <div key={id}>
          <dt>{label}</dt>
          <dd>{formatInput(config)}</dd>
        </div>
      ))}
    </dl>
  );
}

const MAX_VALUE_CHARS = 120;

function formatInput(config: Readonly<Record<string, unknown>>): string {
  const value = config.value ?? config.url ?? config.items ?? config;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_VALUE_CHARS);
}
