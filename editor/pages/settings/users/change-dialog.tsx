// Edits name, plan and role of an account.
import { useState } from 'react';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import { texts as shared } from '../messages.ts';
import { type Account, AccountFields } from './account-fields.tsx';
import { texts } from './messages.ts';

interface ChangeDialogProps {
  readonly user: UserListItem;
  readonly onClose: () => void;
}

export function ChangeDialog({ user, onClose }: ChangeDialogProps) {
  const [name, setName] = useState(user.name);
  const [account, setAccount] = useState<Account>(user);
  const done = useDone();
  const save = async (): Promise<void> => {
    const { plan, isAdmin, isAuthor } = account;
    await api.patch(`/admin/users/${user.userId}`, { name, plan, isAdmin, isAuthor });
    await done(texts.changed(name), ['/admin/users', 'session']);
  };
  return (
    <FormDialog title={texts.changeTitle(user.name)} submit={shared.save} run={save} onClose={onClose}>
      <TextField
        label={shared.name}
        required
        maxLength={200}
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <AccountFields account={account} onChange={setAccount} />
    </FormDialog>
  );
}
