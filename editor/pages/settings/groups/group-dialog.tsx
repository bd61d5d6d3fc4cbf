// Renders a dialog that gives a group a role in a team, or changes the role.
import { useQuery } from '@tanstack/react-query';
import type { GroupMapping, InstanceTeam } from '../../../../sdk/src/schemas.ts';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { useForm } from '../../../kit/use-form.ts';
import { getPage, type ListPage } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import type { TeamRole } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { ROLES } from '../teams/role-select.tsx';
import { changeMappings, isSame } from './change-mappings.ts';
import { messages } from './messages.ts';

/** The list of a field has at most this many pages of teams. */
const MAX_PAGES = 10;

async function listTeams(): Promise<readonly InstanceTeam[]> {
  const teams: InstanceTeam[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result: ListPage<InstanceTeam> = await getPage('/admin/teams', {
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    });
    teams.push(...result.items);
    cursor = result.nextCursor;
    if (cursor === null) break;
  }
  return teams;
}

interface GroupDialogProps {
  /** Undefined for a new row. */
  readonly mapping?: GroupMapping | undefined;
  readonly onClose: () => void;
}

export function GroupDialog({ mapping, onClose }: GroupDialogProps) {
  const teams = useQuery({ queryKey: ['/admin/teams', 'all'], queryFn: listTeams });
  const { values, field } = useForm({
    group: mapping?.group ?? '',
    teamId: mapping?.teamId ?? '',
    role: mapping?.role ?? 'EDITOR',
  });
  const reloadAndToast = useReloadAndToast();
  const save = async (): Promise<void> => {
    const teamId = values.teamId === '' ? (teams.data?.[0]?.id ?? '') : values.teamId;
    const row = { group: values.group.trim(), teamId, role: values.role as TeamRole };
    await changeMappings(rows => [...rows.filter(other => !isSame(other, row)), row]);
    await reloadAndToast(messages.saved(row.group), ['/admin/groups']);
  };
  return (
    <FormDialog
      title={mapping === undefined ? messages.addTitle : messages.editTitle(mapping.group)}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.group}
        hint={messages.groupHint}
        required
        maxLength={256}
        readOnly={mapping !== undefined}
        {...field('group')}
      />
      <QueryResult query={teams}>
        {data =>
          data.length === 0 ? (
            <p>{messages.noTeams}</p>
          ) : (
            <SelectField
              label={messages.team}
              disabled={mapping !== undefined}
              options={data.map(({ id, name }) => [id, name])}
              {...field('teamId')}
            />
          )
        }
      </QueryResult>
      <SelectField label={settingsMessages.role} options={ROLES} {...field('role')} />
    </FormDialog>
  );
}
