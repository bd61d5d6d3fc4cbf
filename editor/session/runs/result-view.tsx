// Renders one result: small (in a node or gallery) or at full size.
import { useCallback } from 'react';
import { messages } from '../../flow-messages.ts';
import { JsonTree } from '../../kit/json-tree.tsx';
import { getMediaKind } from '../../kit/media-kind.ts';
import { MediaView } from '../../kit/media-view.tsx';
import styles from './node-result.module.css';
import { setAspect } from './result-height.ts';
import { type Result, toResultText, toSmallText } from './results.ts';

interface ResultViewProps {
  readonly result: Result;
  readonly label?: string;
  readonly isSmall?: boolean;
  /** Accessible name of the button that `onOpen` creates. */
  readonly openLabel?: string;
  readonly onOpen?: () => void;
}

const MAX_SMALL_CHARS = 1500;
/** Longer text would slow down the page. The copy button copies the whole text. */
const MAX_CHARS = 200_000;

export function ResultView({
  result,
  label = '',
  isSmall = false,
  openLabel = messages.flow.openResult,
  onOpen,
}: ResultViewProps) {
  const content = <ResultContent result={result} label={label} isSmall={isSmall} />;
  // Players have their own controls.
  if (onOpen === undefined || (result.kind === 'media' && getMediaKind(result) === 'audio')) return content;
  return (
    <button
      type="button"
      className={`${styles.open} nodrag`}
      // The text of other results is the accessible name.
      aria-label={result.kind === 'media' ? openLabel : undefined}
      title={openLabel}
      onClick={onOpen}
    >
      {content}
    </button>
  );
}

function ResultContent({ result, label, isSmall }: { result: Result; label: string; isSmall: boolean }) {
  const url = result.kind === 'media' ? result.url : '';
  const onSize = useCallback((width: number, height: number) => setAspect(url, width, height), [url]);
  if (result.kind === 'media')
    return <MediaView {...result} label={label} variant={isSmall ? 'small' : 'whole'} onSize={onSize} />;
  if (result.kind === 'json' && !isSmall)
    return (
      <div className={styles.tree}>
        <JsonTree value={result.value} />
      </div>
    );
  return (
    <pre className={styles.text}>
      {isSmall ? toSmallText(result).slice(0, MAX_SMALL_CHARS) : toResultText(result).slice(0, MAX_CHARS)}
    </pre>
  );
}
