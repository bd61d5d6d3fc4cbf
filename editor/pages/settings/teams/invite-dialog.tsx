// Renders a dialog that invites a person to a team by email. The person may not have an account yet.
import { useState } from 'react';
import type { Team } from '../../../../sdk/src/schemas.ts';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import type { TeamRole } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { describeInvitation, messages } from './messages.ts';
import { ROLES } from './role-select.tsx';

export function InviteDialog({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('EDITOR');
  const reloadAndToast = useReloadAndToast();
  const path = `/teams/${team.id}/invitations` as const;
  const invite = async (): Promise<void> => {
    const invitation = await api.post(path, { email: email.trim(), role });
    await reloadAndToast(describeInvitation(invitation, invitation.email ?? ''), [path]);
  };
  return (
    <FormDialog
      title={messages.inviteTitle(team.name)}
      submitText={messages.invite}
      onSubmit={invite}
      onClose={onClose}
    >
      <TextField
        label={settingsMessages.email}
        hint={messages.inviteHint}
        type="email"
        required
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
      <SelectField
        label={settingsMessages.role}
        hint={messages.roleHint}
        value={role}
        onChange={event => setRole(event.target.value as TeamRole)}
        options={ROLES}
      />
    </FormDialog>
  );
}
