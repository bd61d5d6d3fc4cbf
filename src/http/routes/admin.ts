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
import { created, documented } from '../route.ts';

const about = documented('Operator');

export function registerAdmin(app: App, deps: Deps): void {
  app.get(
    '/api/v1/admin/users',
    about('List users', { 200: UserPage }, { querystring: ListUsersQuery }),
    req => listAllUsers(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/admin/users',
    about('Create a user', { 201: CreatedUser }, { body: CreateUserBody }),
    async (req, reply) => {
      const user = await createUser(deps, req.actor, req.body);
      const response = created(deps, reply, `/api/v1/admin/users/${user.userId}`);
      return response.header('cache-control', 'no-store').send(user);
    },
  );
  app.get('/api/v1/admin/users/:userId', about('Read a user', { 200: User }, { params: UserParams }), req =>
    readUser(deps, req.actor, req.params.userId),
  );
  app.patch(
    '/api/v1/admin/users/:userId',
    about('Update a user', { 200: User }, { params: UserParams, body: ChangeUserBody }),
    req => changeUser(deps, req.actor, req.params.userId, req.body),
  );
  app.get('/api/v1/admin/plans', about('List plans', { 200: PlansResponse }), async req =>
    listPlans(deps, req.actor),
  );
  app.get('/api/v1/admin/providers', about('Check the providers', { 200: ProvidersResponse }), req =>
    checkProviders(deps, req.actor),
  );
  app.get(
    '/api/v1/admin/workload',
    about('Read the state of workers and queue', { 200: WorkloadResponse }),
    req => readWorkload(deps, req.actor),
  );
}
