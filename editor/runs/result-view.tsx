// Renders one result: small in a node or gallery, or in full.
import { messages } from '../flow-messages.ts';
import { JsonTree } from '../kit/json-tree.tsx';
import { kindOfMedia, MediaView } from '../kit/media-view.tsx';
import styles from './node-result.module.css';
import { type Result, textOf } from './results.ts';

interface ResultViewProps {
  readonly result: Result;
  readonly label?: string;
  readonly isSmall?: boolean;
  /** Accessible name of the button that `onOpen` creates. */
  readonly openLabel?: string;
  readonly onOpen?: () => void;
}

const SMALL_CHARS = 1500;
/** Longer text would slow the page down. Copying copies all of it. */
const WHOLE_CHARS = 200_000;

export function ResultView({
  result,
  label = '',
  isSmall = false,
  openLabel = messages.flow.openResult,
  onOpen,
}: ResultViewProps) {
  const shown = <Shown result={result} label={label} isSmall={isSmall} />;
  // Players have their own controls.
  if (onOpen === undefined || (result.kind === 'media' && kindOfMedia(result) === 'audio')) return shown;
  return (
    <button
      type="button"
      className={`${styles.open} nodrag`}
      // Text results are their own accessible name.
      aria-label={result.kind === 'media' ? openLabel : undefined}
      title={openLabel}
      onClick={onOpen}
    >
      {shown}
    </button>
  );
}

function Shown({ result, label, isSmall }: { result: Result; label: string; isSmall: boolean }) {
  if (result.kind === 'media')
    return <MediaView {...result} label={label} variant={isSmall ? 'small' : 'whole'} />;
  if (result.kind === 'json' && !isSmall)
    return (
      <div className={styles.tree}>
        <JsonTree value={result.value} />
      </div>
    );
  return <pre className={styles.text}>{textOf(result).slice(0, isSmall ? SMALL_CHARS : WHOLE_CHARS)}</pre>;
}
