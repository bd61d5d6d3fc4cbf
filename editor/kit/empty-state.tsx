// What stands where a list has nothing: how to begin.
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import type { Icon } from './icon.ts';

interface EmptyStateProps {
  readonly icon: Icon;
  readonly title: string;
  readonly children: ReactNode;
  /** The button that begins. */
  readonly action?: ReactNode;
}

export function EmptyState({ icon: IconOf, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <IconOf size={24} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
