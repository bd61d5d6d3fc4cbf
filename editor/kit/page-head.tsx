// Renders the heading of a page, which is also the tab's title, and its main buttons.
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { messages } from '../messages.ts';
import styles from './page-head.module.css';

interface PageHeadProps {
  readonly title: string;
  /** The pages above this one, from the top. */
  readonly parents?: readonly { readonly title: string; readonly href: string }[];
  readonly children?: ReactNode;
}

export function PageHead({ title, parents = [], children }: PageHeadProps) {
  usePageTitle(title);
  return (
    <div className={styles.head}>
      {parents.length > 0 && (
        <nav className={styles.breadcrumb} aria-label={messages.nav.breadcrumb}>
          <ol>
            {parents.map(parent => (
              <li key={parent.href}>
                <Link href={parent.href}>{parent.title}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
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
