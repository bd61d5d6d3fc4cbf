// Renders the workspaces as a table with a button to switch.
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Team } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { type Column, Table, toActionsColumn } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { type TeamRole, useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { messages } from './messages.ts';

interface Workspace {
  /** The personal workspace has the id null. */
  readonly id: string | null;
  readonly name: string;
  readonly role: TeamRole;
}

export function WorkspaceTable({ teams }: { readonly teams: readonly Team[] }) {
  const activeTeamId = useSession().workspace.teamId;
  const reloadAndToast = useReloadAndToast();
  const switchWorkspace = useMutation({
    mutationFn: ({ id }: Workspace) => api.put('/me/workspace', { teamId: id }),
    // Other pages depend on the active workspace.
    onSuccess: (_, { name }) => reloadAndToast(messages.switched(name), 'all'),
  });
  const rows: readonly Workspace[] = [{ id: null, name: messages.personal, role: 'OWNER' }, ...teams];
  const columns: readonly Column<Workspace>[] = [
    {
      title: messages.workspace,
      cell: ({ id, name }) => (id === null ? name : <Link href={`/settings/teams?team=${id}`}>{name}</Link>),
    },
    { title: settingsMessages.role, cell: ({ role }) => settingsMessages.roles[role] },
    toActionsColumn(workspace =>
      workspace.id === activeTeamId ? (
        <Badge tone="success">{messages.active}</Badge>
      ) : (
        <Button
          size="s"
          aria-label={messages.switchToTeam(workspace.name)}
          isBusy={switchWorkspace.isPending && switchWorkspace.variables.id === workspace.id}
          onClick={() => switchWorkspace.mutate(workspace)}
        >
          {messages.switchTo}
        </Button>
      ),
    ),
  ];
  return (
    <>
      {switchWorkspace.error && <Failure error={switchWorkspace.error} />}
      <Table
        label={settingsMessages.groups.workspace}
        columns={columns}
        rows={rows}
        getKey={({ id }) => id ?? ''}
      />
    </>
  );
}
