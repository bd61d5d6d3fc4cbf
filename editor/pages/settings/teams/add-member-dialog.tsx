// Adds somebody who has an account to a team, by email.
import { useState } from 'react';
import type { Member, Team } from '../../../../sdk/src/schemas.ts';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import type { TeamRole } from '../../../lib/session.ts';
import { texts as shared } from '../messages.ts';
import { texts } from './messages.ts';
import { ROLES } from './roles.ts';

export function AddMemberDialog({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TeamRole>('EDITOR');
  const done = useDone();
  const path = `/teams/${team.id}/members`;
  const add = async (): Promise<void> => {
    const member = await api.post<Member>(path, { email: email.trim(), role });
    await done(texts.added(member.name), [path]);
  };
  return (
    <FormDialog title={texts.addTitle(team.name)} submit={texts.add} run={add} onClose={onClose}>
      <TextField
        label={shared.email}
        hint={texts.addHint}
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
