// Renders the layout of pages without a session: one card in the center.
import type { ReactNode } from 'react';
import { usePageTitle } from '../lib/page-title.ts';
import { messages } from '../messages.ts';
import styles from './door.module.css';
import { Mark } from './mark.tsx';

interface DoorProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

export function Door({ title, lead, children }: DoorProps) {
  usePageTitle(title);
  return (
    <div className={styles.door}>
      <a className={styles.brand} href="/">
        <Mark />
        {messages.product}
      </a>
      <div className={styles.card}>
        <div className={styles.head}>
          <h1>{title}</h1>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {children}
      </div>
    </div>
  );
}
