// Direct shares of workflows over HTTP.
import {
  Permission,
  PermissionPage,
  PermissionParams,
  ShareBody,
  Success,
} from '../../services/accounts/account.schema.ts';
import { listShares, shareWorkflow, unshareWorkflow } from '../../services/accounts/permissions.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';

const tags = ['Sharing'];

export function registerPermissions(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows/:id/permissions',
    {
      schema: {
        tags,
        summary: 'List whom a workflow is shared with',
        params: WorkflowId,
        querystring: PageQuery,
        response: { 200: PermissionPage },
      },
    },
    req => listShares(deps, req.actor, req.params.id, req.query),
  );
  app.put(
    '/api/v1/workflows/:id/permissions',
    {
      schema: {
        tags,
        summary: 'Share a workflow with a user, or change the role',
        params: WorkflowId,
        body: ShareBody,
        response: { 200: Permission },
      },
    },
    req => shareWorkflow(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/workflows/:id/permissions/:userId',
    {
      schema: { tags, summary: 'End a share', params: PermissionParams, response: { 200: Success } },
    },
    async ({ actor, params }) => {
      await unshareWorkflow(deps, actor, params.id, params.userId);
      return { success: true };
    },
  );
}
