// Asks for confirmation before actions that cannot be undone. Stays open and shows the error on failure.
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

interface ConfirmDialogProps {
  /** A question that names what is affected. */
  readonly title: string;
  /** Describes what will be lost. */
  readonly children: ReactNode;
  /** Text of the confirm button. */
  readonly action: string;
  readonly run: () => Promise<unknown>;
  /** Called when the action completed and when it was cancelled. */
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, children, action, run, onClose }: ConfirmDialogProps) {
  const work = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button variant="danger" isBusy={work.isPending} onClick={() => work.mutate()}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
      {work.error && <Failure error={work.error} />}
    </Dialog>
  );
}
