// Renders the role of a member as a select, which saves immediately.

import { useMutation } from '@tanstack/react-query';
import type { Member, Team } from '../../../../sdk/src/schemas.ts';
import { Failure } from '../../../kit/failure.tsx';
import fieldStyles from '../../../kit/field.module.css';
import { renderOptions } from '../../../kit/field.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import type { TeamRole } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { messages } from './messages.ts';

export function RoleSelect({ team, member }: { readonly team: Team; readonly member: Member }) {
  const path = `/teams/${team.id}/members`;
  const reloadAndToast = useReloadAndToast();
  const change = useMutation({
    mutationFn: (role: TeamRole) => api.patch(`${path}/${member.userId}`, { role }),
    onSuccess: () => reloadAndToast(messages.roleChanged(member.name), [path, '/teams', 'session']),
  });
  return (
    <>
      <select
        className={fieldStyles.inRow}
        aria-label={messages.roleOf(member.name)}
        // Shows the new role until the list is reloaded.
        value={change.isPending ? change.variables : member.role}
        onChange={event => change.mutate(event.target.value as TeamRole)}
      >
        {renderOptions(ROLES)}
      </select>
      {change.error && <Failure error={change.error} />}
    </>
  );
}

export const ROLES = Object.entries(settingsMessages.roles) as readonly (readonly [TeamRole, string])[];
