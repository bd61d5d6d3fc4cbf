// Routes that share workflows with individual people.
import {
  Permission,
  PermissionPage,
  PermissionParams,
  ShareBody,
  Success,
} from '../../services/accounts/account.schema.ts';
import { parseSomebody } from '../../services/accounts/accounts.ts';
import { listShares, shareWorkflow, unshareWorkflow } from '../../services/accounts/permissions.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { documented, done } from '../route.ts';

const about = documented('Sharing');

export function registerPermissions(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows/:id/permissions',
    about(
      'List the people a workflow is shared with',
      { 200: PermissionPage },
      { params: WorkflowId, querystring: PageQuery },
    ),
    req => listShares(deps, req.actor, req.params.id, req.query),
  );
  app.put(
    '/api/v1/workflows/:id/permissions',
    about('Share a workflow with a person', { 200: Permission }, { params: WorkflowId, body: ShareBody }),
    req => shareWorkflow(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/workflows/:id/permissions/:person',
    about('Stop sharing a workflow with a person', { 200: Success }, { params: PermissionParams }),
    ({ actor, params }) => done(unshareWorkflow(deps, actor, params.id, personOf(params.person))),
  );
}

/** Parses a user id, or otherwise an email. */
const personOf = (text: string) =>
  parseSomebody(/^\d{1,9}$/.test(text) ? { userId: Number(text) } : { email: text });
