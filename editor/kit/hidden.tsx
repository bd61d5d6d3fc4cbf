// Hides text visually but keeps it for screen readers.
import type { ReactNode } from 'react';
import styles from './hidden.module.css';

export function Hidden({ children }: { readonly children: ReactNode }) {
  return <span className={styles.hidden}>{children}</span>;
}
