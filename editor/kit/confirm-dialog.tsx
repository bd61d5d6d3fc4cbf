// Renders a dialog that asks for confirmation before an action that cannot be undone. If the action fails, the dialog
// stays open and shows the error.
import type { ReactNode } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Dialog, useDialogAction } from './dialog.tsx';
import { Failure } from './failure.tsx';

interface ConfirmDialogProps {
  /** A question that names what is affected. */
  readonly title: string;
  /** Describes what will be lost. */
  readonly children: ReactNode;
  /** Shown below the description. */
  readonly details?: ReactNode;
  /** Text of the confirm button. */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  /** Called when the action succeeded or was canceled. */
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, children, details, action, onConfirm, onClose }: ConfirmDialogProps) {
  const { perform, error, isPending } = useDialogAction(onConfirm, onClose);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button variant="danger" isBusy={isPending} onClick={perform}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
      {details}
      {error && <Failure error={error} />}
    </Dialog>
  );
}
