// One result: small in a node, whole in its own view.

import Download from 'icon:download';
import { messages } from '../messages.ts';
import styles from './node-result.module.css';
import type { Result } from './results.ts';

interface ResultViewProps {
  readonly result: Result;
  readonly isSmall?: boolean;
  readonly onOpen?: () => void;
}

const SMALL_CHARS = 1500;

export function ResultView({ result, isSmall = false, onOpen }: ResultViewProps) {
  const shown = <Shown result={result} isSmall={isSmall} />;
  // A player has controls of its own.
  if (onOpen === undefined || result.kind === 'audio') return shown;
  return (
    <button
      type="button"
      className={`${styles.open} nodrag`}
      aria-label={messages.flow.openResult}
      onClick={onOpen}
    >
      {shown}
    </button>
  );
}

function Shown({ result, isSmall }: { readonly result: Result; readonly isSmall: boolean }) {
  if (result.kind === 'text')
    return <pre className={styles.text}>{isSmall ? result.text.slice(0, SMALL_CHARS) : result.text}</pre>;
  const { kind, url, posterUrl } = result;
  if (kind === 'image') return <img src={url} alt="" loading="lazy" decoding="async" draggable={false} />;
  if (kind === 'video')
    return (
      <video
        src={url}
        poster={posterUrl}
        preload="none"
        controls={!isSmall}
        muted={isSmall}
        loop={isSmall}
        playsInline
        onPointerEnter={event => isSmall && void event.currentTarget.play().catch(() => undefined)}
        onPointerLeave={event => isSmall && event.currentTarget.pause()}
      />
    );
  // biome-ignore lint/a11y/useMediaCaption: what a workflow makes has no captions of its own
  if (kind === 'audio') return <audio src={url} controls preload="none" className="nodrag" />;
  return (
    <a href={url} className={styles.file} download>
      <Download /> {messages.flow.download}
    </a>
  );
}
