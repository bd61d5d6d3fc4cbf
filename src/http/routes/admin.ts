// The operator's endpoints over HTTP.
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
import { checkProviders, ProvidersAnswer } from '../../services/operator/provider-checks.ts';
import { listPlans, PlansAnswer, readWorkload, WorkloadAnswer } from '../../services/operator/workload.ts';
import type { App } from '../app.ts';
import { created } from '../created.ts';

const tags = ['Operator'];

export function registerAdmin(app: App, deps: Deps): void {
  app.get(
    '/api/v1/admin/users',
    { schema: { tags, summary: 'List the users', querystring: ListUsersQuery, response: { 200: UserPage } } },
    req => listAllUsers(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/admin/users',
    { schema: { tags, summary: 'Create a user', body: CreateUserBody, response: { 201: CreatedUser } } },
    async (req, reply) => {
      const user = await createUser(deps, req.actor, req.body);
      const answer = created(deps, reply, `/api/v1/admin/users/${user.userId}`);
      return answer.header('cache-control', 'no-store').send(user);
    },
  );
  app.get(
    '/api/v1/admin/users/:userId',
    { schema: { tags, summary: 'Read a user', params: UserParams, response: { 200: User } } },
    req => readUser(deps, req.actor, req.params.userId),
  );
  app.patch(
    '/api/v1/admin/users/:userId',
    {
      schema: {
        tags,
        summary: 'Rename a user, change the plan, make an author, disable',
        params: UserParams,
        body: ChangeUserBody,
        response: { 200: User },
      },
    },
    req => changeUser(deps, req.actor, req.params.userId, req.body),
  );
  app.get(
    '/api/v1/admin/plans',
    { schema: { tags, summary: 'List the plans', response: { 200: PlansAnswer } } },
    async req => listPlans(deps, req.actor),
  );
  app.get(
    '/api/v1/admin/providers',
    {
      schema: { tags, summary: 'Ask the providers whether they answer', response: { 200: ProvidersAnswer } },
    },
    req => checkProviders(deps, req.actor),
  );
  app.get(
    '/api/v1/admin/workload',
    { schema: { tags, summary: 'Look at workers and queue', response: { 200: WorkloadAnswer } } },
    req => readWorkload(deps, req.actor),
  );
}
