// Routes of the operator: users, plans, providers and workload.
import {
  ChangeUserBody,
  CreatedUser,
  CreateUserBody,
  ListUsersQuery,
  User,
  UserPage,
  UserParams,
} from '../../services/accounts/account.schema.ts';
import { changeUser, createUser, listAllUsers, readUser } from '../../services/accounts/admin-users.ts';
import type { Deps } from '../../services/deps.ts';
import { checkProviders, ProvidersResponse } from '../../services/operator/provider-checks.ts';
import {
  listPlans,
  PlansResponse,
  readWorkload,
  WorkloadResponse,
} from '../../services/operator/workload.ts';
import type { App } from '../app.ts';
import { created, operationsOf, RESOURCE_ERRORS } from '../route.ts';

const operation = operationsOf('Operator');

export function registerAdmin(app: App, deps: Deps): void {
  app.get(
    '/api/v1/admin/users',
    operation('listUsers', 'instance:admin', {
      summary: 'List users',
      description: 'Returns all accounts of the instance.',
      querystring: ListUsersQuery,
      response: { 200: UserPage },
    }),
    req => listAllUsers(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/admin/users',
    operation('createUser', 'instance:admin', {
      summary: 'Create a user',
      description:
        'Creates a user. `keyScopes` also creates a first API key, and `invite` a link to set a password. Both are shown only in this response.',
      reauthentication: 'always',
      errors: ['forbidden', 'conflict'],
      body: CreateUserBody,
      response: { 201: CreatedUser },
    }),
    async (req, reply) => {
      const user = await createUser(deps, req.actor, req.body);
      const response = created(deps, reply, `/api/v1/admin/users/${user.userId}`);
      return response.header('cache-control', 'no-store').send(user);
    },
  );
  app.get(
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
  app.patch(
    '/api/v1/admin/users/:userId',
    operation('updateUser', 'instance:admin', {
      summary: 'Update a user',
      description: 'Changes the plan, author flag or administrator role of an account, or disables it.',
      reauthentication: 'always',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: UserParams,
      body: ChangeUserBody,
      response: { 200: User },
    }),
    req => changeUser(deps, req.actor, req.params.userId, req.body),
  );
  app.get(
    '/api/v1/admin/plans',
    operation('listPlans', 'instance:admin', {
      summary: 'List plans',
      description: 'Returns the plans and their limits. To change them, set `PLANS_FILE`.',
      response: { 200: PlansResponse },
    }),
    async req => listPlans(deps, req.actor),
  );
  app.get(
    '/api/v1/admin/providers',
    operation('checkProviders', 'instance:admin', {
      summary: 'Check the providers',
      description:
        'Sends each configured provider a free request, at most once every 10 s, and returns the results.',
      response: { 200: ProvidersResponse },
    }),
    req => checkProviders(deps, req.actor),
  );
  app.get(
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
