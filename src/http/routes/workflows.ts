// Routes of workflows: list, create, read, update, delete, export and import.

import type { FastifyReply } from 'fastify';
import type { Deps } from '../../services/deps.ts';
import { changeWorkflow } from '../../services/workflows/change-workflow.ts';
import { type CreatedWorkflow, createWorkflow } from '../../services/workflows/create-workflow.ts';
import { removeWorkflow } from '../../services/workflows/delete-workflow.ts';
import { exportWorkflow } from '../../services/workflows/export-workflow.ts';
import { importWorkflow } from '../../services/workflows/import-workflow.ts';
import { listOwnWorkflows } from '../../services/workflows/list-workflows.ts';
import { getWorkflow } from '../../services/workflows/read-workflow.ts';
import {
  CreateWorkflowBody,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  UpdateWorkflowQuery,
  WorkflowId,
} from '../../services/workflows/workflow.schema.ts';
import { ExportedWorkflow, ImportBody } from '../../services/workflows/workflow-file.schema.ts';
import { Deleted, Workflow, WorkflowList } from '../../services/workflows/workflow-response.schema.ts';
import type { App } from '../app.ts';
import { sendCached, sendJson, type TaggedText } from '../conditional.ts';
import { limitLargeBodies } from '../large-bodies.ts';
import { created, documented, done } from '../route.ts';

const about = documented('Workflows');
const params = WorkflowId;
/** A graph of 4 MB and 25 MB of media in base64. */
const MAX_IMPORT_BYTES = 41_943_040;
/** Concurrent imports of large files per process, because each is held in memory. */
const MAX_LARGE_IMPORTS = 3;

export function registerWorkflows(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows',
    about('List your workflows', { 200: WorkflowList }, { querystring: ListWorkflowsQuery }),
    async (req, reply) => {
      const { data, nextCursor } = await listOwnWorkflows(deps, req.actor, req.query);
      if (nextCursor !== null) reply.header('link', nextLink(deps, req.url, nextCursor));
      return data;
    },
  );
  app.post(
    '/api/v1/workflows',
    {
      config: { hasExactNumbers: true },
      ...about('Create a workflow', { 201: Workflow }, { body: CreateWorkflowBody }),
    },
    async (req, reply) => sendCreated(deps, reply, await createWorkflow(deps, req.actor, req.body)),
  );
  app.get(
    '/api/v1/workflows/:id',
    about('Read a workflow', { 200: Workflow }, { params }),
    async (req, reply) =>
      sendCached(req, reply, await getWorkflow(deps, req.actor, req.params.id), 'private, no-cache'),
  );
  app.put(
    '/api/v1/workflows/:id',
    {
      config: { hasExactNumbers: true },
      ...about(
        'Update a workflow',
        { 200: Workflow },
        { params, querystring: UpdateWorkflowQuery, body: UpdateWorkflowBody },
      ),
    },
    async (req, reply) => {
      const saving = req.query.autosave === true ? ('by itself' as const) : ('asked for' as const);
      const input = { body: req.body, ifMatch: req.headers['if-match'], saving };
      return sendTagged(reply, await changeWorkflow(deps, req.actor, req.params.id, input));
    },
  );
  app.delete('/api/v1/workflows/:id', about('Delete a workflow', { 200: Deleted }, { params }), req =>
    done(removeWorkflow(deps, req.actor, req.params.id)),
  );
  registerFiles(app, deps);
}

function registerFiles(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows/:id/export',
    about('Export a workflow', { 200: ExportedWorkflow }, { params }),
    async (req, reply) => {
      const { name, stream } = await exportWorkflow(deps, req.actor, req.params.id);
      return sendJson(reply.header('content-disposition', `attachment; filename="${name}"`), stream);
    },
  );
  app.post(
    '/api/v1/workflows/import',
    {
      config: { hasExactNumbers: true },
      bodyLimit: MAX_IMPORT_BYTES,
      onRequest: limitLargeBodies(deps, MAX_LARGE_IMPORTS),
      ...about('Import a workflow', { 201: Workflow }, { body: ImportBody }),
    },
    async (req, reply) =>
      sendCreated(deps, reply, await importWorkflow(deps, req.actor, req.body, reply.closeSignal())),
  );
}

/** Sends 201 with the workflow and its ETag. */
export function sendCreated(deps: Deps, reply: FastifyReply, workflow: CreatedWorkflow): FastifyReply {
  return sendTagged(created(deps, reply, `/api/v1/workflows/${workflow.id}`), workflow);
}

/** Sends the workflow with the ETag that a GET returns, for the next If-Match. */
export function sendTagged(reply: FastifyReply, { text, etag }: TaggedText): FastifyReply {
  return sendJson(reply.header('etag', etag), text);
}

/** Returns a Link header (RFC 8288) with the same URL and the cursor of the next page. */
export function nextLink(deps: Deps, url: string, cursor: string): string {
  const next = new URL(url, deps.settings.BASE_URL);
  next.searchParams.set('cursor', cursor);
  return `<${next.href}>; rel="next"`;
}
