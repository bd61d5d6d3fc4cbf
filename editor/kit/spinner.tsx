// Renders progress: a spinner, or a progress bar.
import { messages } from '../messages.ts';
import styles from './spinner.module.css';

/** Renders a spinner. It is decorative: the surrounding element announces the busy state. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden />;
}

/** Renders a spinner with a label, for a part of a page that is loading. */
export function Loading({ label = messages.common.loading }: { readonly label?: string }) {
  return (
    <p className={styles.loading} role="status">
      <Spinner />
      {label}
    </p>
  );
}

interface ProgressProps {
  readonly label: string;
  /** From 0 to 1, or undefined if it is unknown. */
  readonly fraction: number | undefined;
}

export function Progress({ label, fraction }: ProgressProps) {
  return <progress className={styles.progress} aria-label={label} value={fraction} max={1} />;
}
