// Renders a notice that covers the page while files are dragged over it.
import type { ReactNode } from 'react';
import styles from './drop-notice.module.css';

export function DropNotice({ children }: { readonly children: ReactNode }) {
  return <p className={styles.drop}>{children}</p>;
}
