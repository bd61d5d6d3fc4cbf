// Compares a result with another item of the same list or with an earlier run.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Execution, ListedExecution } from '../../sdk/src/types.ts';
import { messages } from '../flow-messages.ts';
import { Comparison } from '../kit/comparison.tsx';
import { sentenceOf } from '../kit/failure.tsx';
import { SelectField } from '../kit/field.tsx';
import { kindOfMedia } from '../kit/media-view.tsx';
import { Loading } from '../kit/spinner.tsx';
import { api } from '../lib/api.ts';
import { formatAgo } from '../lib/format.ts';
import { useEditor, useRun } from './editor-context.tsx';
import styles from './result-dialog.module.css';
import { ResultView } from './result-view.tsx';
import { type Result, resultsOf } from './results.ts';

const texts = messages.flow.compare;
const MAX_RUNS = 20;
const MAX_ITEMS = 100;

interface CompareWithProps {
  readonly nodeId: string;
  readonly results: readonly Result[];
  readonly place: number;
}

export function CompareWith({ nodeId, results, place }: CompareWithProps) {
  const { session } = useEditor();
  const shownId = useRun(({ run }) => run?.id);
  const [choice, setChoice] = useState('');
  const { data } = useQuery({
    queryKey: ['/workflows', session.id, 'executions', 'newest'],
    queryFn: ({ signal }) =>
      api.get<{ data: readonly ListedExecution[] }>(`/workflows/${session.id}/executions`, {
        query: { limit: MAX_RUNS, status: 'COMPLETED' },
        signal,
      }),
    staleTime: 0,
  });
  const others = data?.data.filter(({ id }) => id !== shownId) ?? [];
  const result = results[place];
  if (result === undefined || (others.length === 0 && results.length < 2)) return null;
  const [kind = '', id = ''] = choice.split(' ');
  const item = kind === 'item' ? results[Number(id)] : undefined;
  return (
    <section className={styles.compare} aria-label={texts.title}>
      <SelectField label={texts.with} value={choice} onChange={({ target }) => setChoice(target.value)}>
        <option value="">{texts.nothing}</option>
        {results.slice(0, MAX_ITEMS).map((_, index) =>
          index === place ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: results have no id, and their order is theirs
            <option key={`item ${index}`} value={`item ${index}`}>
              {messages.flow.resultPlace(index + 1, results.length)}
            </option>
          ),
        )}
        {others.map(run => (
          <option key={run.id} value={`run ${run.id}`}>
            {texts.runOf(formatAgo(Date.parse(run.createdAt), Date.now()))}
          </option>
        ))}
      </SelectField>
      {item && <Sides now={result} then={item} />}
      {kind === 'run' && <EarlierRun executionId={id} nodeId={nodeId} place={place} now={result} />}
    </section>
  );
}

interface EarlierRunProps {
  readonly executionId: string;
  readonly nodeId: string;
  readonly place: number;
  readonly now: Result;
}

function EarlierRun({ executionId, nodeId, place, now }: EarlierRunProps) {
  const { data, error } = useQuery({
    queryKey: ['/executions', executionId],
    queryFn: ({ signal }) => api.get<Execution>(`/executions/${executionId}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <p role="alert">{sentenceOf(error)}</p>;
  if (data === undefined) return <Loading />;
  const state = data.nodeStates.find(node => node.nodeId === nodeId);
  const results = state === undefined ? [] : resultsOf(state);
  const then = results[place] ?? results[0];
  return then === undefined ? <p>{texts.none}</p> : <Sides now={now} then={then} />;
}

/** Overlaid if both are visual, otherwise side by side. */
function Sides({ now, then }: { readonly now: Result; readonly then: Result }) {
  if (isVisual(now) && isVisual(then))
    return (
      <Comparison
        label={texts.slider}
        before={{ ...then, label: texts.other }}
        after={{ ...now, label: texts.this }}
      />
    );
  return (
    <div className={styles.sides}>
      <ResultView result={then} label={texts.other} />
      <ResultView result={now} label={texts.this} />
    </div>
  );
}

type Visual = Extract<Result, { kind: 'media' }>;

function isVisual(result: Result): result is Visual {
  if (result.kind !== 'media') return false;
  const kind = kindOfMedia(result);
  return kind === 'image' || kind === 'video';
}
