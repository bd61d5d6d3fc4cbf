// Work under way: a spinner where its end is not known, a bar where it is.
import { messages } from '../messages.ts';
import styles from './spinner.module.css';

/** Decoration: what it belongs to says that it is busy. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden />;
}

/** For a part of a page that is being loaded. */
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
  /** From 0 to 1; undefined: not known. */
  readonly part: number | undefined;
}

export function Progress({ label, part }: ProgressProps) {
  return <progress className={styles.progress} aria-label={label} value={part} max={1} />;
}
