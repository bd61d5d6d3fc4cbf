// Renders a comparison of a result with another item of its list, of another node, or of an earlier run.

import { useQuery } from '@tanstack/react-query';
import type { Execution } from '../../../sdk/src/types.ts';
import { findNode } from '../../board/board.ts';
import { messages } from '../../flow-messages.ts';
import { Comparison } from '../../kit/comparison.tsx';
import { SelectField } from '../../kit/field.tsx';
import { getMediaKind } from '../../kit/media-kind.ts';
import { QueryResult } from '../../kit/query-result.tsx';
import { formatAgo } from '../../lib/format.ts';
import { apiQuery } from '../../lib/queries.ts';
import { useBoard, useEditor, useRun } from '../editor-context.tsx';
import { Differences, type ResultSource } from './differences.tsx';
import styles from './result-dialog.module.css';
import { ResultView } from './result-view.tsx';
import { getResults, type Result } from './results.ts';
import { useCompletedRuns } from './use-completed-runs.ts';

const compareMessages = messages.flow.compare;
const MAX_ITEMS = 100;
const MAX_NODES = 200;

interface ComparedResult {
  readonly nodeId: string;
  readonly executionId: string | undefined;
  readonly results: readonly Result[];
  readonly index: number;
}

/** Lists what a result can be compared with. */
export function useComparable({ nodeId, executionId, results }: ComparedResult) {
  const { session } = useEditor();
  const shownId = useRun(({ run }) => run?.id);
  const runs = useCompletedRuns(session.id)?.filter(({ id }) => id !== executionId && id !== shownId) ?? [];
  const displays = useRun(({ nodeDisplays }) => nodeDisplays);
  const board = useBoard(state => state.board);
  const nodes = [...displays]
    .filter(([id, display]) => id !== nodeId && getResults(display).length > 0 && findNode(board, id))
    .slice(0, MAX_NODES)
    .map(([id]) => ({ id, label: findNode(board, id)?.data.label ?? id }));
  return { runs, nodes, hasAny: runs.length > 0 || nodes.length > 0 || results.length > 1 };
}

interface CompareChoiceProps extends ComparedResult {
  readonly value: string;
  readonly onChange: (choice: string) => void;
}

/** Renders the select of the other result. */
export function CompareChoice({ value, onChange, ...compared }: CompareChoiceProps) {
  const { results, index } = compared;
  const { runs, nodes } = useComparable(compared);
  return (
    <SelectField
      label={compareMessages.with}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      data-compare
    >
      <option value="">{compareMessages.nothing}</option>
      {results.length > 1 && (
        <optgroup label={compareMessages.items}>
          {results.slice(0, MAX_ITEMS).map((_, item) =>
            item === index ? null : (
              // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
              <option key={item} value={`item ${item}`}>
                {messages.flow.resultPlace(item + 1, results.length)}
              </option>
            ),
          )}
        </optgroup>
      )}
      {runs.length > 0 && (
        <optgroup label={compareMessages.runs}>
          {runs.map(run => (
            <option key={run.id} value={`run ${run.id}`}>
              {compareMessages.runOf(formatAgo(Date.parse(run.createdAt), Date.now()))}
            </option>
          ))}
        </optgroup>
      )}
      {nodes.length > 0 && (
        <optgroup label={compareMessages.nodes}>
          {nodes.map(({ id, label }) => (
            <option key={id} value={`node ${id}`}>
              {label}
            </option>
          ))}
        </optgroup>
      )}
    </SelectField>
  );
}

/** Renders the result beside the chosen one, with the parameters that differ. */
export function CompareWith({ choice, ...compared }: ComparedResult & { readonly choice: string }) {
  const { nodeId, executionId, results, index } = compared;
  const space = choice.indexOf(' ');
  const [kind, id] = [choice.slice(0, space), choice.slice(space + 1)];
  const display = useRun(({ nodeDisplays }) => (kind === 'node' ? nodeDisplays.get(id) : undefined));
  const current = results[index];
  if (current === undefined) return null;
  if (kind === 'run')
    return (
      <EarlierRun otherId={id} nodeId={nodeId} executionId={executionId} index={index} current={current} />
    );
  const other = kind === 'item' ? results[Number(id)] : display && getResults(display)[0];
  if (other === undefined) return <p>{compareMessages.none}</p>;
  const otherSource =
    kind === 'item' ? { nodeId, executionId } : { nodeId: id, executionId: display?.executionId };
  return (
    <Compared
      current={current}
      other={other}
      currentSource={toSource({ nodeId, executionId }, current)}
      otherSource={toSource(otherSource, other)}
    />
  );
}

const toSource = (
  { nodeId, executionId }: { readonly nodeId: string; readonly executionId: string | undefined },
  result: Result,
): ResultSource | undefined =>
  executionId === undefined
    ? undefined
    : { nodeId, executionId, seed: result.kind === 'media' ? result.seed : undefined };

interface EarlierRunProps {
  /** The other run. */
  readonly otherId: string;
  readonly nodeId: string;
  readonly executionId: string | undefined;
  readonly index: number;
  readonly current: Result;
}

function EarlierRun({ otherId, nodeId, executionId, index, current }: EarlierRunProps) {
  const run = useQuery({
    ...apiQuery<Execution>(['/executions', otherId]),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryResult query={run}>
      {({ nodeStates }) => {
        const state = nodeStates.find(node => node.nodeId === nodeId);
        const results = state === undefined ? [] : getResults(state);
        const other = results[index] ?? results[0];
        return other === undefined ? (
          <p>{compareMessages.none}</p>
        ) : (
          <Compared
            current={current}
            other={other}
            currentSource={toSource({ nodeId, executionId }, current)}
            otherSource={toSource({ nodeId, executionId: otherId }, other)}
          />
        );
      }}
    </QueryResult>
  );
}

interface ComparedProps {
  readonly current: Result;
  readonly other: Result;
  readonly currentSource: ResultSource | undefined;
  readonly otherSource: ResultSource | undefined;
}

function Compared({ current, other, currentSource, otherSource }: ComparedProps) {
  return (
    <section className={styles.compare} aria-label={compareMessages.title}>
      <ResultPair current={current} other={other} />
      {currentSource !== undefined && otherSource !== undefined && (
        <Differences current={currentSource} other={otherSource} />
      )}
    </section>
  );
}

/** Shows the results on top of each other if both are images or videos, otherwise side by side. */
function ResultPair({ current, other }: Pick<ComparedProps, 'current' | 'other'>) {
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
