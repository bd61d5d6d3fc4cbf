// Renders the content of an empty list: what it is for, and how to start.
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import type { Icon } from './icon.ts';

interface EmptyStateProps {
  readonly icon: Icon;
  readonly title: string;
  readonly children: ReactNode;
  /** The button for the first step. */
  readonly action?: ReactNode;
}

export function EmptyState({ icon: IconComponent, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <IconComponent size={24} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <div className={styles.actions}>{action}</div>}
    </div>
  );
}
