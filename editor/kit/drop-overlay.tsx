// Renders a text that covers the page while files are dragged over it.
import type { ReactNode } from 'react';
import styles from './drop-overlay.module.css';

export function DropOverlay({ children }: { readonly children: ReactNode }) {
  return <p className={styles.drop}>{children}</p>;
}
