// Renders toasts. A toast stays while the pointer or the focus is on it.

import Close from 'icon:x';
import { useEffect, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { classNames } from '../kit/class-names.ts';
import { dismissToast, type Toast, useToasts } from '../lib/toasts.ts';
import { messages } from '../messages.ts';
import styles from './toasts.module.css';

const SHOWN_MS = 5000;
const SHOWN_WITH_ACTION_MS = 10_000;

export function Toasts() {
  const toasts = useToasts(state => state.toasts);
  return (
    <ol className={styles.toasts} aria-live="polite">
      {toasts.map(toast => (
        <ToastItem key={toast.id} toast={toast} />
      ))}
    </ol>
  );
}

function ToastItem({ toast: { id, text, tone, action } }: { readonly toast: Toast }) {
  const [isPaused, setPaused] = useState(false);
  const shownMs = action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS;
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => dismissToast(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isPaused, shownMs]);
  return (
    <li
      className={classNames(styles.toast, tone === 'failed' && styles.failed)}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <p>{text}</p>
      {action && (
        <Button
          size="s"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={Close} label={messages.common.dismiss} size="s" onClick={() => dismissToast(id)} />
    </li>
  );
}
