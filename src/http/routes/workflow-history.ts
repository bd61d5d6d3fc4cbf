// Registers the routes for workflow versions.
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { GraphWriteQuery, VersionParams, WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import { listHistory, readVersion, restoreVersion } from '../../services/workflows/workflow-history.ts';
import { Version, VersionPage, Workflow } from '../../services/workflows/workflow-response.schema.ts';
import { sendJson } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';
import { GRAPH_ERRORS, sendTagged } from './workflows.ts';

const operation = createDescriber('Versions');

export function registerWorkflowHistory(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/workflows/:id/versions',
    operation('listVersions', 'workflows:read', {
      summary: 'List the versions of a workflow',
      description:
        'Returns the versions of a workflow. Every write that changes the graph creates a numbered version.',
      params: WorkflowParams,
      querystring: PageQuery,
      response: { 200: VersionPage },
    }),
    req => listHistory(deps, req.actor, req.params.id, req.query),
  );
  server.get(
    '/api/v1/workflows/:id/versions/:version',
    operation('getVersion', 'workflows:read', {
      summary: 'Read a version',
      description: 'Returns a version with its graph.',
      params: VersionParams,
      response: { 200: Version },
    }),
    async (req, reply) =>
      sendJson(reply, await readVersion(deps, req.actor, req.params.id, req.params.version)),
  );
  server.post(
    '/api/v1/workflows/:id/versions/:version/restore',
    operation('restoreVersion', 'workflows:write', {
      summary: 'Restore a version',
      description: 'Saves the graph of an earlier version as a new version.',
      errors: [...RESOURCE_ERRORS, ...GRAPH_ERRORS, 'app_would_break'],
      params: VersionParams,
      querystring: GraphWriteQuery,
      response: { 200: Workflow },
    }),
    async (req, reply) =>
      sendTagged(
        reply,
        await restoreVersion(deps, req.actor, req.params.id, {
          number: req.params.version,
          mayBreakApp: req.query.breakApp,
        }),
      ),
  );
}
