// Renders the heading of a page, which is also the tab's title, and its main buttons.
import type { ReactNode } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import styles from './page-head.module.css';

export function PageHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  usePageTitle(title);
  return (
    <div className={styles.head}>
      <h1>{title}</h1>
      <div className={styles.actions}>{children}</div>
    </div>
  );
}
