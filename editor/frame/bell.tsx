// Renders the bell of the header with the number of unread notices. Its menu loads later.
import BellIcon from 'icon:bell';
import { useState } from 'react';
import { IconButton } from '../kit/button.tsx';
import { lazyMenu } from '../kit/lazy-menu.tsx';
import { formatCompact } from '../lib/format.ts';
import { useUnreadNotices } from '../lib/notices.ts';
import { messages } from '../messages.ts';
import styles from './bell.module.css';

export interface BellMenuProps {
  readonly unread: number;
  /** The element to render the menu in. */
  readonly container: HTMLElement | null;
}

const BellMenu = lazyMenu<BellMenuProps>(
  async () => (await import('./bell-menu.tsx')).BellMenu,
  ({ unread }, button) => <IconButton icon={BellIcon} label={messages.notices.open(unread)} {...button} />,
);

export function Bell() {
  const unread = useUnreadNotices();
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <span ref={setContainer} className={styles.bell}>
      <BellMenu unread={unread} container={container} />
      {unread > 0 && (
        <span className={styles.count} aria-hidden>
          {formatCompact(unread)}
        </span>
      )}
    </span>
  );
}
