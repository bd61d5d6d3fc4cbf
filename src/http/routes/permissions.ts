// Registers the routes that share workflows with individual people.
import {
  Permission,
  PermissionPage,
  PermissionParams,
  ShareBody,
  Success,
} from '../../services/accounts/account.schema.ts';
import { parseUserRef } from '../../services/accounts/accounts.ts';
import {
  listWorkflowPermissions,
  shareWorkflow,
  unshareWorkflow,
} from '../../services/accounts/permissions.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS, toSuccess } from '../route.ts';

const operation = createDescriber('Sharing');

export function registerPermissions(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/workflows/:id/permissions',
    operation('listPermissions', 'workflows:read', {
      summary: 'List the people a workflow is shared with',
      description: 'Returns the people whom the workflow is shared with.',
      params: WorkflowParams,
      querystring: PageQuery,
      response: { 200: PermissionPage },
    }),
    req => listWorkflowPermissions(deps, req.actor, req.params.id, req.query),
  );
  server.put(
    '/api/v1/workflows/:id/permissions',
    operation('shareWorkflow', 'workflows:write', {
      summary: 'Share a workflow with a person',
      description:
        'Shares a workflow with a person by `email`, or with a member of one of your teams by `userId`. The response does not show whether the email has an account: `userId` and `name` are null until the person has opened the workflow. If the workflow is already shared with the person, the role is replaced.',
      reauthentication: 'to grant OWNER',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: WorkflowParams,
      body: ShareBody,
      response: { 200: Permission },
    }),
    req => shareWorkflow(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/workflows/:id/permissions/:person',
    operation('unshareWorkflow', 'workflows:write', {
      summary: 'Stop sharing a workflow with a person',
      description: 'Stops sharing the workflow with a user or an email.',
      params: PermissionParams,
      response: { 200: Success },
    }),
    ({ actor, params }) => toSuccess(unshareWorkflow(deps, actor, params.id, parsePerson(params.person))),
  );
}

/** Parses a user id, or otherwise an email. */
const parsePerson = (text: string) =>
  parseUserRef(/^\d{1,9}$/.test(text) ? { userId: Number(text) } : { email: text });
