// Renders the layout of pages for visitors: one card in the center.
import type { ReactNode } from 'react';
import { usePageTitle } from '../kit/page-head.tsx';
import { messages } from '../messages.ts';
import styles from './auth-layout.module.css';
import { Logo } from './logo.tsx';

interface AuthLayoutProps {
  readonly title: string;
  readonly description?: string;
  /** `l`: for content that needs space, such as a result. */
  readonly size?: 'm' | 'l';
  readonly children: ReactNode;
}

export function AuthLayout({ title, description, size = 'm', children }: AuthLayoutProps) {
  usePageTitle(title);
  return (
    <div className={styles.layout}>
      <a className={styles.brand} href="/">
        <Logo />
        {messages.product}
      </a>
      <div className={styles.card} data-size={size}>
        <div className={styles.head}>
          <h1>{title}</h1>
          {description !== undefined && <p>{description}</p>}
        </div>
        {children}
      </div>
    </div>
  );
}
