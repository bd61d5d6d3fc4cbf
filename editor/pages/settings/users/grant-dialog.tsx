// Grants credits to a user's personal workspace, or revokes some.
import { useState } from 'react';
import type { CreditPool, UserListItem } from '../../../../sdk/src/schemas.ts';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { messages } from './messages.ts';

interface GrantDialogProps {
  readonly user: UserListItem;
  readonly onClose: () => void;
}

export function GrantDialog({ user: { userId, name }, onClose }: GrantDialogProps) {
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  const finishChange = useFinishChange();
  const grant = async (): Promise<void> => {
    const { balance } = await api.post<CreditPool>('/admin/credits', {
      userId,
      amount: Number(amount),
      note,
    });
    await finishChange(messages.granted(name, balance), ['/admin/users', '/credits', 'session']);
  };
  return (
    <FormDialog title={messages.grantTitle(name)} submit={messages.grant} onSubmit={grant} onClose={onClose}>
      <TextField
        label={messages.amount}
        hint={messages.amountHint}
        type="number"
        step={1}
        required
        value={amount}
        onChange={event => setAmount(event.target.value)}
      />
      <TextField
        label={messages.note}
        hint={messages.noteHint}
        required
        maxLength={500}
        value={note}
        onChange={event => setNote(event.target.value)}
      />
    </FormDialog>
  );
}
