// Renders a modal dialog. The native element traps focus, closes on Escape, and restores focus.

import Close from 'icon:x';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { messages } from '../messages.ts';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

const FIRST_FIELD = 'input:not([hidden]), select, textarea';

interface DialogProps {
  readonly title: string;
  /** Called on Escape, on a click outside, and by the close button. */
  readonly onClose: () => void;
  /** `l` for viewing, `xl` for working in it. */
  readonly size?: 'm' | 'l' | 'xl';
  readonly children: ReactNode;
  /** Buttons at the bottom, the primary one last. */
  readonly actions?: ReactNode;
}

/** Renders a dialog, which is open while it is rendered. */
export function Dialog({ title, onClose, size = 'm', children, actions }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isPressedOutside = useRef(false);
  useModal(ref);
  useLayoutEffect(() => {
    const dialog = ref.current;
    // Otherwise the close button gets the focus, and its tooltip takes the first Escape.
    // A field further down does not scroll the title away.
    (dialog?.querySelector<HTMLElement>(FIRST_FIELD) ?? dialog)?.focus({ preventScroll: true });
  }, []);
  return (
    // Escape triggers `cancel`. A click on the backdrop has the dialog as its target.
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
      onPointerDown={event => {
        isPressedOutside.current = event.target === ref.current;
      }}
      // A press in the dialog may end outside: while text is selected, or because the press made the dialog smaller.
      onClick={event => {
        if (event.target === ref.current && isPressedOutside.current) onClose();
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

/** Opens the dialog as modal, and closes it when its component is removed. */
export function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  // The cleanup of a layout effect runs before the element is removed, so that closing it restores the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, [ref]);
}

/**
 * Performs the action of a dialog, then calls `onSuccess`, which closes the dialog. If the user has already closed the
 * dialog, `onSuccess` is not called, because it could close the dialog that is shown next.
 */
export function useDialogAction(action: () => Promise<unknown>, onSuccess: () => void) {
  const { mutate, error, isPending } = useMutation({ mutationFn: action });
  return { perform: () => mutate(undefined, { onSuccess: () => onSuccess() }), error, isPending };
}
