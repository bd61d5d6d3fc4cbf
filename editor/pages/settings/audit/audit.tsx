// Renders the audit log: of the instance for administrators, and of a team for its owners.
import UsersIcon from 'icon:users';
import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { FilterSelect } from '../../../kit/filter-bar.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { useSearchFilters } from '../../../lib/use-search-filters.ts';
import { messages as settingsMessages } from '../messages.ts';
import { AuditList } from './audit-list.tsx';
import { messages } from './messages.ts';

/** The maximum number of people or teams in a select. */
const MAX_OPTIONS = 200;

export function InstanceAudit() {
  const people = useQuery(apiQuery(['/admin/users'], { limit: MAX_OPTIONS }));
  return (
    <AuditList
      path="/admin/audit"
      title={settingsMessages.parts.audit}
      description={messages.description}
      people={people.data?.data ?? []}
    />
  );
}

/** Renders the log of the chosen team, by default the active one. */
export function TeamAudit() {
  const { teams, workspace } = useSession();
  const { search } = useSearchFilters();
  const owned = teams.filter(({ role }) => role === 'OWNER');
  const wanted = search.get('teamId') ?? workspace.teamId;
  const team = owned.find(({ id }) => id === wanted) ?? owned[0];
  if (team === undefined)
    return (
      <>
        <PageHead title={settingsMessages.parts['team-audit']} />
        <EmptyState
          icon={UsersIcon}
          title={messages.noTeamTitle}
          action={<ButtonLink href="/settings/teams">{messages.toTeams}</ButtonLink>}
        >
          {messages.noTeam}
        </EmptyState>
      </>
    );
  return <OneTeam key={team.id} team={team} teams={owned} />;
}

interface TeamRef {
  readonly id: string;
  readonly name: string;
}

function OneTeam({ team, teams }: { readonly team: TeamRef; readonly teams: readonly TeamRef[] }) {
  const { replaceAll } = useSearchFilters();
  // Also shows why the log of a team that requires a second factor is closed.
  const members = useQuery(apiQuery(['/teams', team.id, 'members'], { limit: MAX_OPTIONS }));
  return (
    <QueryResult query={members}>
      {({ data }) => (
        <AuditList
          path={`/teams/${team.id}/audit`}
          title={settingsMessages.parts['team-audit']}
          description={messages.teamDescription}
          people={data}
        >
          <FilterSelect
            label={messages.team}
            options={teams.map(({ id, name }) => [id, name] as const)}
            value={team.id}
            onChange={event => replaceAll({ teamId: event.target.value })}
          />
        </AuditList>
      )}
    </QueryResult>
  );
}
