// Versions of a workflow over HTTP.
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { VersionParams, WorkflowId } from '../../services/workflows/workflow.schema.ts';
import { Version, VersionPage, Workflow } from '../../services/workflows/workflow-answer.schema.ts';
import { getVersion, listHistory, restoreVersion } from '../../services/workflows/workflow-history.ts';
import type { App } from '../app.ts';
import { sendJson } from '../conditional.ts';
import { sendTagged } from './workflows.ts';

const tags = ['Versions'];

export function registerWorkflowHistory(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows/:id/versions',
    {
      schema: {
        tags,
        summary: 'List the versions of the graph, newest first',
        params: WorkflowId,
        querystring: PageQuery,
        response: { 200: VersionPage },
      },
    },
    req => listHistory(deps, req.actor, req.params.id, req.query),
  );
  app.get(
    '/api/v1/workflows/:id/versions/:version',
    {
      schema: {
        tags,
        summary: 'Read a version with its graph',
        params: VersionParams,
        response: { 200: Version },
      },
    },
    async (req, reply) =>
      sendJson(reply, await getVersion(deps, req.actor, req.params.id, req.params.version)),
  );
  app.post(
    '/api/v1/workflows/:id/versions/:version/restore',
    {
      schema: {
        tags,
        summary: 'Bring a version back, as a new one',
        params: VersionParams,
        response: { 200: Workflow },
      },
    },
    async (req, reply) =>
      sendTagged(reply, await restoreVersion(deps, req.actor, req.params.id, req.params.version)),
  );
}
