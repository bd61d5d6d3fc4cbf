// Workflows over HTTP.
import { Type } from 'typebox';
import type { Deps } from '../../services/deps.ts';
import {
  CreateWorkflowBody,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  WorkflowId,
  WorkflowList,
} from '../../services/workflow.schema.ts';
import {
  changeWorkflow,
  createWorkflow,
  getWorkflow,
  lintWorkflow,
  listOwnWorkflows,
  removeWorkflow,
} from '../../services/workflows.ts';
import type { App } from '../app.ts';
import { sendCached, sendJson } from '../conditional.ts';

const tags = ['Workflows'];
const GraphBody = Type.Object({ nodes: Type.Unknown(), edges: Type.Unknown() });

export function registerWorkflows(app: App, deps: Deps): void {
  app.get(
    '/api/v1/workflows',
    {
      schema: {
        tags,
        summary: 'List your workflows',
        querystring: ListWorkflowsQuery,
        response: { 200: WorkflowList },
      },
    },
    async (req, reply) => {
      const { items, nextCursor } = await listOwnWorkflows(deps, req.actor, req.query);
      if (nextCursor !== null) reply.header('link', nextLink(deps, req.url, nextCursor));
      return items;
    },
  );
  app.post(
    '/api/v1/workflows',
    { schema: { tags, summary: 'Create a workflow', body: CreateWorkflowBody } },
    async (req, reply) => {
      const { id, text, etag } = await createWorkflow(deps, req.actor, req.body);
      return sendJson(
        reply.code(201).header('location', `/api/v1/workflows/${id}`).header('etag', etag),
        text,
      );
    },
  );
  app.post('/api/v1/workflows/lint', { schema: { tags, summary: 'Lint a graph', body: GraphBody } }, req =>
    lintWorkflow(deps, req.actor, req.body),
  );
  app.get(
    '/api/v1/workflows/:id',
    { schema: { tags, summary: 'Read a workflow', params: WorkflowId, security: [{ apiKey: [] }, {}] } },
    async (req, reply) =>
      sendCached(req, reply, await getWorkflow(deps, req.actor, req.params.id), 'private, no-cache'),
  );
  app.put(
    '/api/v1/workflows/:id',
    { schema: { tags, summary: 'Change a workflow', params: WorkflowId, body: UpdateWorkflowBody } },
    async (req, reply) => {
      const { text, etag } = await changeWorkflow(deps, req.actor, req.params.id, {
        body: req.body,
        ifMatch: req.headers['if-match'],
      });
      return sendJson(reply.header('etag', etag), text);
    },
  );
  app.delete(
    '/api/v1/workflows/:id',
    { schema: { tags, summary: 'Delete a workflow', params: WorkflowId } },
    async req => {
      await removeWorkflow(deps, req.actor, req.params.id);
      return { success: true };
    },
  );
}

/** RFC 8288: the same address with the cursor of the next page. */
export function nextLink(deps: Deps, url: string, cursor: string): string {
  const next = new URL(url, deps.settings.BASE_URL);
  next.searchParams.set('cursor', cursor);
  return `<${next.href}>; rel="next"`;
}
