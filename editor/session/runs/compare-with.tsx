// Renders a comparison of a result with another item of the same list or with an earlier run.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../../flow-messages.ts';
import { Comparison } from '../../kit/comparison.tsx';
import { SelectField } from '../../kit/field.tsx';
import { getMediaKind } from '../../kit/media-view.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { formatAgo } from '../../lib/format.ts';
import { apiQuery } from '../../lib/queries.ts';
import { useEditor, useRun } from '../editor-context.tsx';
import styles from './result-dialog.module.css';
import { ResultView } from './result-view.tsx';
import { getResults, type Result } from './results.ts';
import { useCompletedRuns } from './use-completed-runs.ts';

const compareMessages = messages.flow.compare;
const MAX_ITEMS = 100;

interface CompareWithProps {
  readonly nodeId: string;
  readonly results: readonly Result[];
  readonly index: number;
}

export function CompareWith({ nodeId, results, index }: CompareWithProps) {
  const { session } = useEditor();
  const shownId = useRun(({ run }) => run?.id);
  const [choice, setChoice] = useState('');
  const otherRuns = useCompletedRuns(session.id)?.filter(({ id }) => id !== shownId) ?? [];
  const result = results[index];
  if (result === undefined || (otherRuns.length === 0 && results.length < 2)) return null;
  const [kind = '', id = ''] = choice.split(' ');
  const item = kind === 'item' ? results[Number(id)] : undefined;
  return (
    <section className={styles.compare} aria-label={compareMessages.title}>
      <SelectField
        label={compareMessages.with}
        value={choice}
        onChange={({ target }) => setChoice(target.value)}
      >
        <option value="">{compareMessages.nothing}</option>
        {results.slice(0, MAX_ITEMS).map((_, itemIndex) =>
          itemIndex === index ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
            <option key={`item ${itemIndex}`} value={`item ${itemIndex}`}>
              {messages.flow.resultPlace(itemIndex + 1, results.length)}
            </option>
          ),
        )}
        {otherRuns.map(run => (
          <option key={run.id} value={`run ${run.id}`}>
            {compareMessages.runOf(formatAgo(Date.parse(run.createdAt), Date.now()))}
          </option>
        ))}
      </SelectField>
      {item && <ResultPair current={result} other={item} />}
      {kind === 'run' && <EarlierRun executionId={id} nodeId={nodeId} index={index} current={result} />}
    </section>
  );
}

interface EarlierRunProps {
  readonly executionId: string;
  readonly nodeId: string;
  readonly index: number;
  readonly current: Result;
}

function EarlierRun({ executionId, nodeId, index, current }: EarlierRunProps) {
  const run = useQuery({
    ...apiQuery(['/executions', executionId]),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryResult query={run}>
      {({ nodeStates }) => {
        const state = nodeStates.find(node => node.nodeId === nodeId);
        const results = state === undefined ? [] : getResults(state);
        const earlierResult = results[index] ?? results[0];
        return earlierResult === undefined ? (
          <p>{compareMessages.none}</p>
        ) : (
          <ResultPair current={current} other={earlierResult} />
        );
      }}
    </QueryResult>
  );
}

/** Shows the results on top of each other if both are images or videos, otherwise side by side. */
function ResultPair({ current, other }: { readonly current: Result; readonly other: Result }) {
  if (isVisualMedia(current) && isVisualMedia(other))
    return (
      <Comparison
        label={compareMessages.slider}
        before={{ ...other, label: compareMessages.other }}
        after={{ ...current, label: compareMessages.this }}
      />
    );
  return (
    <div className={styles.sides}>
      <ResultView result={other} label={compareMessages.other} />
      <ResultView result={current} label={compareMessages.this} />
    </div>
  );
}

type VisualMedia = Extract<Result, { kind: 'media' }>;

function isVisualMedia(result: Result): result is VisualMedia {
  if (result.kind !== 'media') return false;
  const kind = getMediaKind(result);
  return kind === 'image' || kind === 'video';
}
