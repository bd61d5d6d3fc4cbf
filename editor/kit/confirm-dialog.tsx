// Asks before what cannot be undone, and stays with the error where it is refused.
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

interface ConfirmDialogProps {
  /** A question that names what it is about. */
  readonly title: string;
  /** What will be lost. */
  readonly children: ReactNode;
  /** The word on the button. */
  readonly action: string;
  readonly run: () => Promise<unknown>;
  /** Called when it is done, and when it is not wanted. */
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
          <Button look="danger" isBusy={work.isPending} onClick={() => work.mutate()}>
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
