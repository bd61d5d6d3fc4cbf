// Renders the heading of a page, which is also the tab's title, and its main buttons.
import { type ReactNode, useEffect } from 'react';
import { messages } from '../messages.ts';
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

/** Sets the title of the browser tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${messages.product}`;
  }, [title]);
}
