// Invites someone to a team by email, with or without an account.
import { useState } from 'react';
import type { Team, TeamInvitation } from '../../../../sdk/src/schemas.ts';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import type { TeamRole } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { messages } from './messages.ts';
import { ROLES } from './role-select.tsx';

export function InviteDialog({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('EDITOR');
  const finishChange = useFinishChange();
  const path = `/teams/${team.id}/invitations`;
  const invite = async (): Promise<void> => {
    const invitation = await api.post<TeamInvitation>(path, { email: email.trim(), role });
    await finishChange(messages.invited(invitation.email ?? ''), [path]);
  };
  return (
    <FormDialog
      title={messages.inviteTitle(team.name)}
      submit={messages.invite}
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
