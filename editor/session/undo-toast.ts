// Confirms an edit with a toast that can undo it.
import type { Change } from '../board/board.ts';
import type { BoardStore } from '../board/store.ts';
import { showToast, useToasts } from '../lib/toasts.ts';
import { messages } from '../messages.ts';

interface ConfirmedEdit {
  /** The label of the undo step. */
  readonly label: string;
  readonly changes: readonly Change[];
  /** The text of the toast. */
  readonly text: string;
}

/** Applies the changes as one undo step. The toast offers undo until another step follows. */
export function performWithToast(
  { store, isReadOnly }: { readonly store: BoardStore; readonly isReadOnly: boolean },
  { label, changes, text }: ConfirmedEdit,
): void {
  store.actions.perform(label, changes);
  if (isReadOnly || changes.length === 0) return;
  const getStep = () => store.getState().history.past.at(-1);
  const step = getStep();
  const action = { label: messages.common.undo, run: () => store.actions.undo() };
  showToast(text, { action });
  const unsubscribe = store.subscribe(() => {
    if (getStep() === step) return;
    unsubscribe();
    useToasts.setState(({ toasts }) => ({
      toasts: toasts.map(toast => (toast.action === action ? { ...toast, action: undefined } : toast)),
    }));
  });
}
