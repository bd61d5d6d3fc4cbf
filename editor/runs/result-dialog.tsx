// Renders results in full: one result or a gallery, and comparisons.

import ArrowLeft from 'icon:arrow-left';
import ArrowRight from 'icon:arrow-right';
import ExternalLink from 'icon:external-link';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { findNode } from '../board/board.ts';
import { messages } from '../flow-messages.ts';
import { ButtonAnchor, IconButton } from '../kit/button.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { isEditing } from '../lib/editing.ts';
import { CompareWith } from './compare-with.tsx';
import { useBoard, useNodeRun } from './editor-context.tsx';
import styles from './result-dialog.module.css';
import { ResultView } from './result-view.tsx';
import { type Result, resultsOf, textOf } from './results.ts';

const texts = messages.flow;
/** Maximum number of thumbnails; the arrows reach the others. */
const MAX_THUMBNAILS = 200;

interface ResultDialogProps {
  readonly nodeId: string;
  readonly index?: number | undefined;
  readonly onClose: () => void;
}

export function ResultDialog({ nodeId, index = 0, onClose }: ResultDialogProps) {
  const run = useNodeRun(nodeId);
  const label = useBoard(({ board }) => findNode(board, nodeId)?.data.label ?? nodeId);
  const [chosen, setChosen] = useState(index);
  const whole = useRef<HTMLDivElement>(null);
  // Arrow keys step through the results, so the first field must not have the focus.
  useEffect(() => whole.current?.focus(), []);
  const results = run === undefined ? [] : resultsOf(run);
  const place = Math.min(chosen, results.length - 1);
  const shown = results[place];
  const step = (by: number): void => setChosen((place + by + results.length) % results.length);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0 || results.length < 2 || isEditing(event.target)) return;
    event.preventDefault();
    step(by);
  };
  return (
    <Dialog title={texts.resultOf(label)} size="l" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys are a second way; the buttons are the first */}
      <div ref={whole} tabIndex={-1} className={styles.whole} onKeyDown={onKeyDown}>
        {shown && <ResultView result={shown} label={label} />}
        {shown && (
          <div className={styles.bar}>
            {results.length > 1 && (
              <>
                <IconButton size="s" icon={ArrowLeft} label={texts.previousResult} onClick={() => step(-1)} />
                <span role="status">{texts.resultPlace(place + 1, results.length)}</span>
                <IconButton size="s" icon={ArrowRight} label={texts.nextResult} onClick={() => step(1)} />
              </>
            )}
            <span className={styles.grow} />
            <Take result={shown} />
          </div>
        )}
        {results.length > 1 && <Thumbnails results={results} place={place} onChoose={setChosen} />}
        {shown && <CompareWith nodeId={nodeId} results={results} place={place} />}
      </div>
    </Dialog>
  );
}

function Take({ result }: { readonly result: Result }) {
  if (result.kind !== 'media') return <CopyButton text={textOf(result)} label={messages.common.copy} />;
  return (
    <ButtonAnchor href={result.url} size="s" icon={ExternalLink}>
      {texts.openFile}
    </ButtonAnchor>
  );
}

interface ThumbnailsProps {
  readonly results: readonly Result[];
  readonly place: number;
  readonly onChoose: (index: number) => void;
}

function Thumbnails({ results, place, onChoose }: ThumbnailsProps) {
  return (
    <ul className={styles.thumbnails} aria-label={texts.gallery}>
      {results.slice(0, MAX_THUMBNAILS).map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id, and their order is theirs
        <li key={index} aria-current={index === place || undefined}>
          <ResultView
            result={result}
            isSmall
            openLabel={texts.resultPlace(index + 1, results.length)}
            onOpen={() => onChoose(index)}
          />
        </li>
      ))}
    </ul>
  );
}
