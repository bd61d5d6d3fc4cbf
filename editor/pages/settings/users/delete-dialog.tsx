// Renders a dialog that deletes an account and hands its work to another user or a team.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { SelectField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';

/** The maximum number of users, and of teams, to choose from. */
const MAX_CHOICES = 200;

interface DeleteDialogProps {
  readonly user: UserListItem;
  readonly onClose: () => void;
}

export function DeleteDialog({ user: { userId, name }, onClose }: DeleteDialogProps) {
  const [heir, setHeir] = useState('');
  const users = useQuery(apiQuery(['/admin/users'], { limit: MAX_CHOICES, disabled: false }));
  const teams = useQuery(apiQuery(['/admin/teams'], { limit: MAX_CHOICES }));
  const reloadAndToast = useReloadAndToast();
  const remove = async (): Promise<void> => {
    await api.delete(`/admin/users/${userId}`, { query: { transferTo: heir } });
    await reloadAndToast(messages.deleted(name), ['/admin/users', '/admin/teams']);
  };
  const people = (users.data?.data ?? []).filter(each => each.userId !== userId);
  return (
    <FormDialog
      title={messages.deleteTitle(name)}
      submitText={messages.delete}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{messages.deleteText}</p>
      <SelectField
        label={messages.transferTo}
        required
        value={heir}
        options={[
          ['', messages.chooseHeir],
          ...people.map(each => [String(each.userId), `${each.name} (${each.email})`] as const),
          ...(teams.data?.data ?? []).map(team => [team.id, messages.team(team.name)] as const),
        ]}
        onChange={event => setHeir(event.target.value)}
      />
    </FormDialog>
  );
}
