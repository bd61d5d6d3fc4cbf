// Renders two images or videos on top of each other, with a slider that moves the edge between them.
import { useState } from 'react';
import styles from './comparison.module.css';
import type { MediaSource } from './media-kind.ts';
import { MediaView } from './media-view.tsx';

export interface ComparedMedia extends MediaSource {
  readonly label: string;
}

interface ComparisonProps {
  readonly before: ComparedMedia;
  readonly after: ComparedMedia;
  /** Label of the slider. */
  readonly label: string;
}

export function Comparison({ before, after, label }: ComparisonProps) {
  const [percent, setPercent] = useState(50);
  return (
    <div className={styles.comparison}>
      <div className={styles.stack}>
        <MediaView {...after} variant="whole" />
        <div className={styles.overlay} style={{ clipPath: `inset(0 ${100 - percent}% 0 0)` }}>
          <MediaView {...before} variant="whole" />
        </div>
        <div className={styles.edge} style={{ left: `${percent}%` }} aria-hidden />
        <input
          type="range"
          className={styles.slider}
          aria-label={label}
          aria-valuetext={`${percent} %`}
          min={0}
          max={100}
          value={percent}
          onChange={({ target }) => setPercent(Number(target.value))}
        />
      </div>
      <div className={styles.labels}>
        <span>{before.label}</span>
        <span>{after.label}</span>
      </div>
    </div>
  );
}
