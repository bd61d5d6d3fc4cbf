// Invites someone to a team by email, with or without an account.
import { useState } from 'react';
import type { Team, TeamInvitation } from '../../../../sdk/src/schemas.ts';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import type { TeamRole } from '../../../lib/session.ts';
import { texts as shared } from '../messages.ts';
import { texts } from './messages.ts';
import { ROLES } from './role-select.tsx';

export function InviteDialog({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('EDITOR');
  const done = useDone();
  const path = `/teams/${team.id}/invitations`;
  const invite = async (): Promise<void> => {
    const sent = await api.post<TeamInvitation>(path, { email: email.trim(), role });
    await done(texts.invited(sent.email ?? ''), [path]);
  };
  return (
    <FormDialog title={texts.inviteTitle(team.name)} submit={texts.invite} run={invite} onClose={onClose}>
      <TextField
        label={shared.email}
        hint={texts.inviteHint}
        type="email"
        required
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
      <SelectField
        label={shared.role}
        hint={texts.roleHint}
        value={role}
        onChange={event => setRole(event.target.value as TeamRole)}
      >
        {ROLES.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
