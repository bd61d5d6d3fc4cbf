// Renders the button that opens the account menu.
import type { ButtonHTMLAttributes } from 'react';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';
import styles from './account-menu.module.css';

export function AccountMenuButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  const { user } = useSession();
  const [initial = '?'] = user.name.toUpperCase();
  return (
    <button type="button" {...props} className={styles.account} aria-label={messages.account.menu(user.name)}>
      {initial}
    </button>
  );
}
