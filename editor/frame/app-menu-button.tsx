// Renders the button that opens the application's menu, which loads later.

import ChevronDown from 'icon:chevron-down';
import type { ButtonHTMLAttributes } from 'react';
import { messages } from '../messages.ts';
import styles from './app-menu.module.css';
import { Logo } from './logo.tsx';

export function AppMenuButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" {...props} className={styles.button} aria-label={messages.nav.open}>
      <Logo />
      <ChevronDown size={14} />
    </button>
  );
}
