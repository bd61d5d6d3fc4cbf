// Renders a form in a dialog that closes on success and shows the error on failure.
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Form } from './form.tsx';

interface FormDialogProps {
  readonly title: string;
  /** Text of the submit button. Default: Save. */
  readonly submitText?: string | undefined;
  readonly onSubmit: () => Promise<unknown>;
  /** Called when the form was saved or canceled. */
  readonly onClose: (isSaved: boolean) => void;
  readonly children: ReactNode;
}

export function FormDialog({
  title,
  submitText = messages.common.save,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const mutation = useMutation({ mutationFn: onSubmit });
  // Not called if the dialog was closed meanwhile, because the caller may show another dialog by then.
  const onSuccess = (): void => onClose(true);
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <Form onSubmit={() => mutation.mutate(undefined, { onSuccess })}>
        {children}
        {mutation.error && <Failure error={mutation.error} />}
        <Button type="submit" variant="primary" isBusy={mutation.isPending}>
          {submitText}
        </Button>
      </Form>
    </Dialog>
  );
}
