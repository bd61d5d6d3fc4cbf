// Renders a form in a dialog that closes on success and shows the error on failure.
import { type ReactNode, useId } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Dialog, useDialogAction } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Form } from './form.tsx';

interface FormDialogProps {
  readonly title: string;
  /** Text of the submit button. Default: Save. */
  readonly submitText?: string | undefined;
  /** Whether the form does what cannot be undone. */
  readonly isDangerous?: boolean;
  readonly onSubmit: () => Promise<unknown>;
  /** Called when the form was saved or canceled. */
  readonly onClose: (isSaved: boolean) => void;
  readonly children: ReactNode;
}

export function FormDialog({
  title,
  submitText = messages.common.save,
  isDangerous = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const id = useId();
  const { perform, error, isPending } = useDialogAction(onSubmit, () => onClose(true));
  return (
    <Dialog
      title={title}
      onClose={() => onClose(false)}
      // Below the form, where both stay visible while the form scrolls.
      actions={
        <>
          {error && <Failure error={error} />}
          <Button type="submit" form={id} variant={isDangerous ? 'danger' : 'primary'} isBusy={isPending}>
            {submitText}
          </Button>
        </>
      }
    >
      <Form id={id} onSubmit={perform}>
        {children}
      </Form>
    </Dialog>
  );
}
