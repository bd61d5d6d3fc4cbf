// Renders a dialog that changes the name, email, plan and role of an account.
import { useState } from 'react';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { type Account, AccountFields } from './account-fields.tsx';
import { messages } from './messages.ts';

interface ChangeDialogProps {
  readonly user: UserListItem;
  readonly onClose: () => void;
}

export function ChangeDialog({ user, onClose }: ChangeDialogProps) {
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email);
  const [account, setAccount] = useState<Account>(user);
  const reloadAndToast = useReloadAndToast();
  const save = async (): Promise<void> => {
    const { plan, isAdmin, isAuthor } = account;
    await api.patch(`/admin/users/${user.userId}`, {
      name,
      ...(email === user.email ? {} : { email }),
      plan,
      isAdmin,
      isAuthor,
    });
    await reloadAndToast(messages.changed(name), ['/admin/users', 'session']);
  };
  return (
    <FormDialog title={messages.changeTitle(user.name)} onSubmit={save} onClose={onClose}>
      <TextField
        label={settingsMessages.name}
        required
        maxLength={200}
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <TextField
        label={messages.email}
        hint={messages.emailHint}
        type="email"
        required
        maxLength={254}
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
      <AccountFields account={account} onChange={setAccount} />
    </FormDialog>
  );
}
