// Renders a dialog that adds credits to the workspace of a user or a team, or revokes credits.
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useForm } from '../../kit/use-form.ts';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';

interface CreditsDialogProps {
  readonly account: { readonly userId: number } | { readonly teamId: string };
  readonly name: string;
  readonly title: string;
  readonly submitText: string;
  /** First segments of the queries that show the credits of the account. */
  readonly affectedQueries: readonly string[];
  readonly onClose: () => void;
}

export function CreditsDialog({
  account,
  name,
  title,
  submitText,
  affectedQueries,
  onClose,
}: CreditsDialogProps) {
  const { values, field } = useForm({ amount: '', note: '' });
  const reloadAndToast = useReloadAndToast();
  const grant = async (): Promise<void> => {
    const request = { ...account, ...values, amount: Number(values.amount) };
    const { balance } = await api.post('/admin/credits', request);
    await reloadAndToast(messages.credits.granted(name, balance), affectedQueries);
  };
  return (
    <FormDialog title={title} submitText={submitText} onSubmit={grant} onClose={onClose}>
      <TextField
        label={messages.credits.amount}
        hint={messages.credits.amountHint}
        type="number"
        step={1}
        required
        {...field('amount')}
      />
      <TextField
        label={messages.credits.note}
        hint={messages.credits.noteHint}
        required
        maxLength={500}
        {...field('note')}
      />
    </FormDialog>
  );
}
