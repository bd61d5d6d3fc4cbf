// Renders the button that opens the application's menu.

import ChevronDown from 'icon:chevron-down';
import type { ButtonHTMLAttributes } from 'react';
import { messages } from '../messages.ts';
import styles from './app-menu.module.css';
import { Logo } from './logo.tsx';

/** Renders the button, also without a menu until the menu is loaded. */
export function AppMenuButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" {...props} className={styles.button} aria-label={messages.nav.open}>
      <Logo />
      <ChevronDown size={14} />
    </button>
  );
}
