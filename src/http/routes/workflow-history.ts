// Routes of the versions of a workflow.
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { VersionParams, WorkflowId } from '../../services/workflows/workflow.schema.ts';
import { getVersion, listHistory, restoreVersion } from '../../services/workflows/workflow-history.ts';
import { Version, VersionPage, Workflow } from '../../services/workflows/workflow-response.schema.ts';
import type { App } from '../app.ts';
import { sendJson } from '../conditional.ts';
import { documented } from '../route.ts';
import { sendTagged } from './workflows.ts';

const about = documented('Versions');

export function registerWorkflowHistory(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows/:id/versions',
    about(
      'List the versions of a workflow',
      { 200: VersionPage },
      { params: WorkflowId, querystring: PageQuery },
    ),
    req => listHistory(deps, req.actor, req.params.id, req.query),
  );
  app.get(
    '/api/v1/workflows/:id/versions/:version',
    about('Read a version', { 200: Version }, { params: VersionParams }),
    async (req, reply) =>
      sendJson(reply, await getVersion(deps, req.actor, req.params.id, req.params.version)),
  );
  app.post(
    '/api/v1/workflows/:id/versions/:version/restore',
    about('Restore a version', { 200: Workflow }, { params: VersionParams }),
    async (req, reply) =>
      sendTagged(reply, await restoreVersion(deps, req.actor, req.params.id, req.params.version)),
  );
}
