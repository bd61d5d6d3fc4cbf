// Registers the routes for workflows: list, create, read, update, delete, export and import.
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Deps } from '../../services/deps.ts';
import { changeWorkflow } from '../../services/workflows/change-workflow.ts';
import { type CreatedWorkflow, createWorkflow } from '../../services/workflows/create-workflow.ts';
import { deleteWorkflow } from '../../services/workflows/delete-workflow.ts';
import { exportForComfyUi, exportWorkflow } from '../../services/workflows/export-workflow.ts';
import { importFile } from '../../services/workflows/import-file.ts';
import { listOwnWorkflows } from '../../services/workflows/list-workflows.ts';
import { readWorkflow } from '../../services/workflows/read-workflow.ts';
import {
  CreateWorkflowBody,
  DeleteWorkflowQuery,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  UpdateWorkflowQuery,
  WorkflowParams,
} from '../../services/workflows/workflow.schema.ts';
import {
  ComfyFile,
  DryImport,
  ExportedWorkflow,
  ExportQuery,
  ImportBody,
  ImportedWorkflow,
} from '../../services/workflows/workflow-file.schema.ts';
import { Deleted, Workflow, WorkflowList } from '../../services/workflows/workflow-response.schema.ts';
import { sendCached, sendJson, type TaggedText } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { limitLargeBodies } from '../large-bodies.ts';
import {
  COMPONENT_ERRORS,
  createDescriber,
  FILE_ERRORS,
  RESOURCE_ERRORS,
  setCreated,
  toSuccess,
} from '../route.ts';

const operation = createDescriber('Workflows');
const params = WorkflowParams;
export const GRAPH_ERRORS = [
  'invalid_graph',
  'field_not_writable',
  'storage_quota_exceeded',
  ...COMPONENT_ERRORS,
] as const;
export const FOLDER_ERRORS = ['folder_workspace_mismatch', 'folder_cycle'] as const;
const WORKFLOW_PARAMETERS = { parameters: { id: '$response.body#/id' } } as const;
export const WORKFLOW_LINKS = {
  201: {
    workflow: { operationId: 'getWorkflow', description: 'Read the workflow', ...WORKFLOW_PARAMETERS },
    run: { operationId: 'runWorkflow', description: 'Run the workflow', ...WORKFLOW_PARAMETERS },
  },
};
/** A graph of 4 MB and 25 MB of media in base64. */
const MAX_IMPORT_BYTES = 41_943_040;
/** Concurrent imports of large files per process, because each is held in memory. */
const MAX_LARGE_IMPORTS = 3;

export function registerWorkflows(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/workflows',
    operation('listWorkflows', 'workflows:read', {
      summary: 'List your workflows',
      description:
        'Returns an array of workflows. If there are more, the `Link` header contains the URL of the next page. `teamId` lists the workflows of a team that you are a member of.',
      errors: RESOURCE_ERRORS,
      querystring: ListWorkflowsQuery,
      response: { 200: WorkflowList },
      responseHeaders: ['Link'],
    }),
    async (req, reply) => {
      const { data, nextCursor } = await listOwnWorkflows(deps, req.actor, req.query);
      if (nextCursor !== null) reply.header('link', createNextLink(deps, req.url, nextCursor));
      return data;
    },
  );
  server.post(
    '/api/v1/workflows',
    operation('createWorkflow', 'workflows:write', {
      summary: 'Create a workflow',
      description:
        'Creates a workflow. The graph is linted: a graph with errors is refused with `invalid_graph` and `issues`, and warnings are returned in `meta.warnings`. If the body has the `id` of an existing workflow, that workflow is updated.',
      errors: [...GRAPH_ERRORS, ...FOLDER_ERRORS, ...RESOURCE_ERRORS],
      body: CreateWorkflowBody,
      inexactNumbers: 'reject',
      response: { 201: Workflow },
      responseHeaders: ['ETag'],
      links: WORKFLOW_LINKS,
    }),
    async (req, reply) => sendCreated(deps, reply, await createWorkflow(deps, req.actor, req.body)),
  );
  server.get(
    '/api/v1/workflows/:id',
    operation('getWorkflow', 'anyone', {
      summary: 'Read a workflow',
      description:
        'Returns a workflow. Owners and editors receive all properties. Other readers receive the workflow without secrets, so some properties are absent. Send the `ETag` as `If-None-Match` here, or as `If-Match` with the next update.',
      errors: ['unauthorized', ...RESOURCE_ERRORS],
      isConditional: true,
      params,
      response: { 200: Workflow },
    }),
    async (req, reply) =>
      sendCached(req, reply, await readWorkflow(deps, req.actor, req.params.id), 'private, no-cache'),
  );
  server.put(
    '/api/v1/workflows/:id',
    operation('updateWorkflow', 'workflows:write', {
      summary: 'Update a workflow',
      description:
        'Changes only the properties that you send. With `If-Match`, or with the `updatedAt` that you last read, the update is refused with `stale_write` if the workflow has changed since. A graph that the app of the workflow cannot use is refused with `app_would_break`, unless `breakApp` is true.',
      errors: [
        ...GRAPH_ERRORS,
        ...FOLDER_ERRORS,
        ...RESOURCE_ERRORS,
        'stale_write',
        'app_would_break',
        'board_too_large',
      ],
      params,
      querystring: UpdateWorkflowQuery,
      body: UpdateWorkflowBody,
      inexactNumbers: 'reject',
      response: { 200: Workflow },
      requestHeaders: ['If-Match'],
      responseHeaders: ['ETag'],
    }),
    async (req, reply) => {
      const saving = req.query.autosave === true ? ('auto' as const) : ('manual' as const);
      const { breakApp: mayBreakApp } = req.query;
      const input = { body: req.body, ifMatch: req.headers['if-match'], saving, mayBreakApp };
      return sendTagged(reply, await changeWorkflow(deps, req.actor, req.params.id, input));
    },
  );
  server.delete(
    '/api/v1/workflows/:id',
    operation('deleteWorkflow', 'workflows:write', {
      summary: 'Delete a workflow',
      description:
        'Deactivates a workflow and marks it as deleted. You can restore it for 24 hours, an administrator also later. Requires ownership. If other workflows call it as a component, returns `component_in_use` with the callers that you may read and the number of others, unless `force` is true.',
      errors: [...RESOURCE_ERRORS, 'component_in_use'],
      params,
      querystring: DeleteWorkflowQuery,
      response: { 200: Deleted },
    }),
    req => toSuccess(deleteWorkflow(deps, req.actor, req.params.id, req.query)),
  );
  registerExportAndImport(server, deps);
}

function registerExportAndImport(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/workflows/:id/export',
    operation('exportWorkflow', 'anyone', {
      summary: 'Export a workflow',
      description:
        'Returns a file with the graph, the components that it calls and their media, without secrets. Components that you may not duplicate are left out. Import it with `POST /workflows/import` into this or another instance. With `format=comfyui`, returns a graph for ComfyUI instead.',
      errors: ['unauthorized', ...RESOURCE_ERRORS, 'payload_too_large'],
      params,
      querystring: ExportQuery,
      response: { 200: Type.Union([ExportedWorkflow, ComfyFile]) },
      isStreamed: true,
    }),
    async (req, reply) => {
      const { format, node } = req.query;
      if (format === 'comfyui') {
        const { name, text } = await exportForComfyUi(deps, req.actor, req.params.id, node);
        reply.holdMemory(text.length);
        return sendJson(reply.header('content-disposition', `attachment; filename="${name}"`), text);
      }
      const { name, characters, stream } = await exportWorkflow(deps, req.actor, req.params.id);
      reply.holdMemory(characters);
      return sendJson(reply.header('content-disposition', `attachment; filename="${name}"`), stream);
    },
  );
  server.post(
    '/api/v1/workflows/import',
    {
      bodyLimit: MAX_IMPORT_BYTES,
      onRequest: limitLargeBodies(deps, MAX_LARGE_IMPORTS),
      ...operation('importWorkflow', 'workflows:write', {
        summary: 'Import a workflow',
        description:
          'Creates a workflow from an exported file, including its components and media. A component that you imported before is not created again. `source` takes files of ComfyUI too: workflows as saved, or in the API format. `mediaId` takes a PNG or WebP image that contains one. The response then has a report about the nodes of the file.',
        errors: [
          ...GRAPH_ERRORS,
          ...FILE_ERRORS,
          'unknown_format',
          'not_found',
          'forbidden',
          'fetch_failed',
          'invalid_svg',
          'svg_too_complex',
          'upload_busy',
          'upload_budget_exceeded',
        ],
        body: ImportBody,
        inexactNumbers: 'reject',
        rawProperties: { source: 'opaque' },
        response: { 200: DryImport, 201: Type.Union([Workflow, ImportedWorkflow]) },
        links: WORKFLOW_LINKS,
      }),
    },
    async (req, reply) => {
      const result = await importFile(deps, req.actor, req.body, reply.closeSignal());
      if (result.kind === 'dry') return sendJson(reply.code(200), result.text);
      const { workflow, report } = result;
      if (report === undefined) return sendCreated(deps, reply, workflow);
      const text = `{"workflow":${workflow.text},"report":${JSON.stringify(report)}}`;
      return sendCreated(deps, reply, { ...workflow, text });
    },
  );
}

/** Sends 201 with the workflow and its ETag. */
export function sendCreated(deps: Deps, reply: FastifyReply, workflow: CreatedWorkflow): FastifyReply {
  return sendTagged(setCreated(deps, reply, `/api/v1/workflows/${workflow.id}`), workflow);
}

/** Sends the workflow with the ETag that a GET returns, for the next If-Match. */
export function sendTagged(reply: FastifyReply, { text, etag }: TaggedText): FastifyReply {
  return sendJson(reply.header('etag', etag), text);
}

/** Returns a Link header (RFC 8288) with the same URL and the cursor of the next page. */
export function createNextLink(deps: Deps, url: string, cursor: string): string {
  const next = new URL(url, deps.settings.BASE_URL);
  next.searchParams.set('cursor', cursor);
  return `<${next.href}>; rel="next"`;
}
