// Renders a dialog that creates an account, and a link where its user chooses a password.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { useForm } from '../../../kit/use-form.ts';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { type Account, AccountFields } from './account-fields.tsx';
import { messages } from './messages.ts';
import type { AccountLink } from './users.tsx';

interface InviteDialogProps {
  readonly onLink: (link: AccountLink) => void;
  readonly onClose: () => void;
}

export function InviteDialog({ onLink, onClose }: InviteDialogProps) {
  const { values: profile, field } = useForm({ name: '', email: '', credits: '' });
  const [account, setAccount] = useState<Account>({ plan: '', isAdmin: false, isAuthor: false });
  const { data: plans } = useQuery(apiQuery(['/admin/plans']));
  const reloadAndToast = useReloadAndToast();
  const invite = async (): Promise<void> => {
    const { plan, ...rights } = account;
    const {
      name,
      inviteUrl,
      isMailed = false,
    } = await api.post('/admin/users', {
      name: profile.name,
      email: profile.email.trim(),
      ...(profile.credits === '' ? {} : { credits: Number(profile.credits) }),
      ...(plan === '' ? {} : { plan }),
      ...rights,
      invite: true,
    });
    if (inviteUrl !== undefined) onLink({ name, url: inviteUrl, isMailed });
    await reloadAndToast(messages.inviteCreated(name), ['/admin/users']);
  };
  return (
    <FormDialog
      title={messages.invite}
      submitText={messages.inviteSubmit}
      onSubmit={invite}
      onClose={onClose}
    >
      <TextField label={settingsMessages.name} required maxLength={200} {...field('name')} />
      <TextField label={settingsMessages.email} type="email" required {...field('email')} />
      <AccountFields account={account} onChange={setAccount} />
      <TextField
        label={messages.initialCredits}
        hint={plans && messages.initialCreditsHint(plans.newAccountCredits)}
        type="number"
        min={0}
        step={1}
        {...field('credits')}
      />
    </FormDialog>
  );
}
