// Renders toasts. They stay while the pointer or focus is on them.

import Close from 'icon:x';
import { useEffect, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { classNames } from '../kit/class-names.ts';
import { dismissToast, type Toast, useToasts } from '../lib/toasts.ts';
import { messages } from '../messages.ts';
import styles from './toasts.module.css';

const SHOWN_MS = 5000;
const WITH_ACTION_MS = 10_000;

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
  const [isHeld, setHeld] = useState(false);
  const shownMs = action === undefined ? SHOWN_MS : WITH_ACTION_MS;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismissToast(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isHeld, shownMs]);
  return (
    <li
      className={classNames(styles.toast, tone === 'failed' && styles.failed)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
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
