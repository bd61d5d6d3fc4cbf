// Renders the results of a node in a dialog: one result at full size, the gallery, and comparisons.

import ArrowLeft from 'icon:arrow-left';
import ArrowRight from 'icon:arrow-right';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { findNode } from '../../board/board.ts';
import { messages } from '../../flow-messages.ts';
import { IconButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { isEditable } from '../../lib/editable.ts';
import { useBoard, useDisplayedNode, useEditor } from '../editor-context.tsx';
import { closeFirst, findBoardActions } from '../results/board-actions.ts';
import { ResultActions } from '../results/result-actions.tsx';
import { CompareChoice, CompareWith, useComparable } from './compare-with.tsx';
import styles from './result-dialog.module.css';
import { ResultView } from './result-view.tsx';
import { getResults, type Result } from './results.ts';
import { TruncatedNote } from './truncated-note.tsx';

const flowMessages = messages.flow;
/** Maximum number of thumbnails. The arrow buttons reach the other results. */
const MAX_THUMBNAILS = 200;

interface ResultDialogProps {
  readonly nodeId: string;
  readonly index?: number | undefined;
  readonly onClose: () => void;
}

export function ResultDialog({ nodeId, index = 0, onClose }: ResultDialogProps) {
  const editor = useEditor();
  const run = useDisplayedNode(nodeId);
  const label = useBoard(({ board }) => findNode(board, nodeId)?.data.label) ?? (run?.label || nodeId);
  const [selectedIndex, setSelectedIndex] = useState(index);
  const [choice, setChoice] = useState('');
  const content = useRef<HTMLDivElement>(null);
  // Arrow keys step through the results, so the first field must not have the focus, not even until the first paint.
  useLayoutEffect(() => content.current?.focus(), []);
  const results = run === undefined ? [] : getResults(run);
  const current = Math.min(selectedIndex, results.length - 1);
  const result = results[current];
  const compared = { nodeId, executionId: run?.executionId, results, index: current };
  const { hasAny } = useComparable(compared);
  const step = (offset: number): void =>
    setSelectedIndex((current + offset + results.length) % results.length);
  const onKeyDown = (event: KeyboardEvent): void => {
    const offset = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (offset === 0 || results.length < 2 || isEditable(event.target)) return;
    event.preventDefault();
    step(offset);
  };
  return (
    <Dialog title={flowMessages.resultOf(label)} size="xl" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons offer the same actions */}
      <div ref={content} tabIndex={-1} className={styles.content} onKeyDown={onKeyDown}>
        {result?.port !== undefined && <strong>{result.port}</strong>}
        {result &&
          (choice === '' ? (
            <ResultView result={result} label={label} />
          ) : (
            <CompareWith {...compared} choice={choice} />
          ))}
        {run?.truncated && run.executionId !== undefined && (
          <TruncatedNote executionId={run.executionId} nodeId={run.runNodeId ?? nodeId} />
        )}
        {result && (
          <div className={styles.bar}>
            {results.length > 1 && (
              <>
                <IconButton
                  size="s"
                  icon={ArrowLeft}
                  label={flowMessages.previousResult}
                  onClick={() => step(-1)}
                />
                <span role="status">{flowMessages.resultPlace(current + 1, results.length)}</span>
                <IconButton
                  size="s"
                  icon={ArrowRight}
                  label={flowMessages.nextResult}
                  onClick={() => step(1)}
                />
              </>
            )}
            {hasAny && (
              <div className={styles.choice}>
                <CompareChoice {...compared} value={choice} onChange={setChoice} />
              </div>
            )}
            <span className={styles.spacer} />
            {result.kind === 'media' && result.seed !== undefined && (
              <span>{flowMessages.seed.of(result.seed)}</span>
            )}
          </div>
        )}
        {results.length > 1 && (
          <Thumbnails results={results} selectedIndex={current} onChoose={setSelectedIndex} />
        )}
        {result && (
          <div className={styles.footer}>
            <ResultActions
              result={result}
              label={label}
              executionId={run?.executionId}
              onBoard={{
                ...closeFirst(findBoardActions(editor, { nodeId, label, result }), onClose),
                ...(hasAny && {
                  compare: () => openChoice(content.current?.querySelector('select[data-compare]')),
                }),
              }}
            />
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Focuses a select and shows its options, where the browser can. */
function openChoice(select: HTMLSelectElement | null | undefined): void {
  select?.focus();
  try {
    select?.showPicker();
  } catch {
    // Browsers refuse it without a recent click; the focus remains.
  }
}

interface ThumbnailsProps {
  readonly results: readonly Result[];
  readonly selectedIndex: number;
  readonly onChoose: (index: number) => void;
}

function Thumbnails({ results, selectedIndex, onChoose }: ThumbnailsProps) {
  return (
    <ul className={styles.thumbnails} aria-label={flowMessages.gallery}>
      {results.slice(0, MAX_THUMBNAILS).map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
        <li key={index} aria-current={index === selectedIndex || undefined}>
          <ResultView
            result={result}
            isSmall
            openLabel={flowMessages.resultPlace(index + 1, results.length)}
            onOpen={() => onChoose(index)}
          />
        </li>
      ))}
    </ul>
  );
}
