// A modal dialog: the browser's own, which keeps the focus inside, closes by Escape, and gives the focus back.

import Close from 'icon:x';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { messages } from '../messages.ts';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

const FIRST_FIELD = 'input:not([hidden]), select, textarea';

interface DialogProps {
  readonly title: string;
  /** Called by Escape, by a click outside it, and by its close button. */
  readonly onClose: () => void;
  /** `l` for what is looked at rather than filled in, `xl` for what is worked on. */
  readonly size?: 'm' | 'l' | 'xl';
  readonly children: ReactNode;
  /** Buttons at its foot, the one that goes on last. */
  readonly actions?: ReactNode;
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, size = 'm', children, actions }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Else the close button has it, whose tooltip would take the first Escape.
    (dialog?.querySelector<HTMLElement>(FIRST_FIELD) ?? dialog)?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // The browser turns Escape into `cancel`; the click is a second way for the pointer.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={ref}
      className={styles.dialog}
      data-size={size}
      tabIndex={-1}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
      onClick={event => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className={styles.inside}>
        <header className={styles.head}>
          <h2 id={id}>{title}</h2>
          <IconButton icon={Close} label={messages.common.close} size="s" onClick={onClose} />
        </header>
        {children}
        {actions && <footer className={styles.actions}>{actions}</footer>}
      </div>
    </dialog>
  );
}
