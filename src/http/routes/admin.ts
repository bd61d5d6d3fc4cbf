// Registers the routes for administrators: users, overview, plans, providers, workload, teams and backups.
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { Success } from '../../runs/read/run-response.schema.ts';
import {
  ChangeUserBody,
  CreatedUser,
  CreateUserBody,
  DeletedUser,
  DeleteUserQuery,
  ListUsersQuery,
  User,
  UserPage,
  UserParams,
} from '../../services/accounts/account.schema.ts';
import { changeUser, createUser, listAllUsers, readUser } from '../../services/accounts/admin-users.ts';
import { deleteUser } from '../../services/accounts/delete-user.ts';
import type { Deps } from '../../services/deps.ts';
import {
  BackupDownload,
  BackupsResponse,
  downloadBackup,
  readBackupStatus,
  requireNoDownload,
} from '../../services/instance/backups.ts';
import { OverviewResponse, readOverview } from '../../services/instance/overview.ts';
import { checkProviders, ProvidersResponse } from '../../services/instance/provider-checks.ts';
import {
  InstanceTeamPage,
  InstanceTeamsQuery,
  listAllTeams,
  listTeamBudgetPage,
  setTeamWorkflowBudget,
  setWholeTeamBudget,
  TeamBudgetBody,
  TeamBudgetPage,
  TeamParams,
  TeamWorkflowParams,
} from '../../services/instance/teams.ts';
import {
  listPlans,
  PlansResponse,
  readWorkload,
  WorkloadResponse,
} from '../../services/instance/workload.ts';
import { PageQuery } from '../../services/paging.ts';
import { Plain } from '../../services/schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';

const operation = createDescriber('Administration');
const BACKUP_FILE_PATH = '/api/v1/admin/backup/file';

export function registerAdmin(server: Server, deps: Deps): void {
  registerUsers(server, deps);
  registerInstance(server, deps);
  registerTeams(server, deps);
  registerBackups(server, deps);
}

function registerUsers(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/users',
    operation('listUsers', 'instance:admin', {
      summary: 'List users',
      description: 'Returns all accounts of the instance.',
      querystring: ListUsersQuery,
      response: { 200: UserPage },
    }),
    req => listAllUsers(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/admin/users',
    operation('createUser', 'instance:admin', {
      summary: 'Create a user',
      description:
        'Creates a user. `keyScopes` also creates a first API key, and `invite` a link to set a password. Both are shown only in this response.',
      reauthentication: 'always',
      errors: ['forbidden', 'conflict'],
      body: CreateUserBody,
      response: { 201: CreatedUser },
      isUncacheable: true,
    }),
    async (req, reply) => {
      const user = await createUser(deps, req.actor, req.body);
      return setCreated(deps, reply, `/api/v1/admin/users/${user.userId}`).send(user);
    },
  );
  server.get(
    '/api/v1/admin/users/:userId',
    operation('getUser', 'instance:admin', {
      summary: 'Read a user',
      description: 'Returns an account.',
      errors: ['not_found'],
      params: UserParams,
      response: { 200: User },
    }),
    req => readUser(deps, req.actor, req.params.userId),
  );
  server.patch(
    '/api/v1/admin/users/:userId',
    operation('updateUser', 'instance:admin', {
      summary: 'Update a user',
      description:
        'Changes the name, email, plan, author flag or administrator role of an account, or disables it. The last active administrator stays one (409 `conflict`).',
      reauthentication: 'always',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: UserParams,
      body: ChangeUserBody,
      response: { 200: User },
    }),
    req => changeUser(deps, req.actor, req.params.userId, req.body),
  );
  server.delete(
    '/api/v1/admin/users/:userId',
    operation('deleteUser', 'instance:admin', {
      summary: 'Delete a user',
      description:
        'Deletes an account. Its workflows, folders and media go to another user or a team. Its schedules, triggers and apps are paused, its stored credentials, keys and sessions are deleted, and its runs remain under the name "Deleted user". Cancel its active runs first.',
      reauthentication: 'always',
      errors: [...RESOURCE_ERRORS, 'conflict', 'last_owner'],
      params: UserParams,
      querystring: DeleteUserQuery,
      response: { 200: DeletedUser },
    }),
    req => deleteUser(deps, req.actor, req.params.userId, req.query),
  );
}

function registerInstance(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/overview',
    operation('getOverview', 'instance:admin', {
      summary: 'Read the state of the instance',
      description:
        'Returns the health of database, queue and storage, the runs of the last 24 hours, the spending of this month (UTC) by user, team, model and provider, and low balances.',
      response: { 200: OverviewResponse },
    }),
    req => readOverview(deps, req.actor),
  );
  server.get(
    '/api/v1/admin/plans',
    operation('listPlans', 'instance:admin', {
      summary: 'List plans',
      description: 'Returns the plans and their limits. To change them, set `PLANS_FILE`.',
      response: { 200: PlansResponse },
    }),
    async req => listPlans(deps, req.actor),
  );
  server.get(
    '/api/v1/admin/providers',
    operation('checkProviders', 'instance:admin', {
      summary: 'Check the providers',
      description:
        "Sends each provider a free request with the instance's credential, stored or set by the environment, at most once every 10 s, and returns the results.",
      response: { 200: ProvidersResponse },
    }),
    req => checkProviders(deps, req.actor),
  );
  server.get(
    '/api/v1/admin/workload',
    operation('getWorkload', 'instance:admin', {
      summary: 'Read the state of workers and queue',
      description:
        'Returns the workers with their last heartbeats, the number of jobs by task and state, and how long the oldest run has been waiting.',
      response: { 200: WorkloadResponse },
    }),
    req => readWorkload(deps, req.actor),
  );
}

function registerTeams(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/teams',
    operation('listInstanceTeams', 'instance:admin', {
      summary: 'List all teams',
      description: 'Returns all teams of the instance with their credits.',
      querystring: InstanceTeamsQuery,
      response: { 200: InstanceTeamPage },
    }),
    req => listAllTeams(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/admin/teams/:teamId/budgets',
    operation('listTeamBudgets', 'instance:admin', {
      summary: 'List the budgets of a team',
      description:
        'Returns the workflows of a team with their daily budgets and the credits spent today (UTC).',
      errors: ['not_found'],
      params: TeamParams,
      querystring: PageQuery,
      response: { 200: TeamBudgetPage },
    }),
    req => listTeamBudgetPage(deps, req.actor, req.params.teamId, req.query),
  );
  server.put(
    '/api/v1/admin/teams/:teamId/budget',
    operation('setWholeTeamBudget', 'instance:admin', {
      summary: 'Set the daily budget of a team',
      description:
        'Sets the daily budget (UTC) of all runs of a team, in addition to the budgets of its workflows. A run that would exceed it is refused with `daily_budget_exceeded`.',
      errors: ['not_found'],
      params: TeamParams,
      body: TeamBudgetBody,
      response: { 200: Success },
    }),
    req => toSuccess(setWholeTeamBudget(deps, req.actor, req.params.teamId, req.body)),
  );
  server.put(
    '/api/v1/admin/teams/:teamId/budgets/:workflowId',
    operation('setTeamBudget', 'instance:admin', {
      summary: "Set the daily budget of a team's workflow",
      description:
        "Sets the daily budget of a team's workflow. A run that would exceed the budget of the UTC day is refused with `daily_budget_exceeded`.",
      errors: ['not_found'],
      params: TeamWorkflowParams,
      body: TeamBudgetBody,
      response: { 200: Success },
    }),
    req => toSuccess(setTeamWorkflowBudget(deps, req.actor, req.params, req.body)),
  );
}

function registerBackups(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/backup',
    operation('getBackups', 'instance:admin', {
      summary: 'Read when the last backup was made',
      description: 'Returns the last backup that the command line or a download made, and the current sizes.',
      response: { 200: BackupsResponse },
    }),
    req => readBackupStatus(deps, req.actor),
  );
  server.post(
    '/api/v1/admin/backup',
    operation('prepareBackup', 'instance:admin', {
      summary: 'Prepare the download of a backup',
      description:
        'Checks that a backup can be downloaded now, and returns its path. A session must have confirmed its identity. The download then needs no confirmation for 15 minutes.',
      reauthentication: 'always',
      errors: ['conflict'],
      response: { 200: BackupDownload },
    }),
    async req => {
      requireNoDownload(deps, req.actor);
      return { url: BACKUP_FILE_PATH };
    },
  );
  server.get(BACKUP_FILE_PATH, {
    ...operation('downloadBackup', 'instance:admin', {
      summary: 'Download a backup',
      description:
        'Creates a backup like `graphwright backup` during the download, without the secrets key. Each process creates one backup at a time. If the download is interrupted, the file is incomplete and cannot be restored.',
      reauthentication: 'always',
      errors: ['conflict'],
      response: { 200: Plain('application/x-tar') },
      isUncacheable: true,
      isStreamed: true,
    }),
    exposeHeadRoute: false,
    handler: async (req, reply) => {
      const { chunks, fileName } = await downloadBackup(deps, req.actor, reply.closeSignal());
      return reply
        .headers({
          'content-type': 'application/x-tar',
          'content-disposition': `attachment; filename="${fileName}"`,
        })
        .send(Readable.fromWeb(chunks as WebStream));
    },
  });
}
