// Registers the routes for executions: records, results, graphs, lists, event streams, cancellation and deletion.
import { Type } from 'typebox';
import type { RunDeps } from '../../runs/deps.ts';
import { cancelRun } from '../../runs/end/cancel-run.ts';
import { deleteExecution } from '../../runs/end/delete-run.ts';
import {
  ExecutionId,
  ExecutionNode,
  InstanceFailuresQuery,
  InstanceRunsQuery,
  ListExecutionsQuery,
  PreviewQuery,
  ReadExecutionQuery,
  WorkspaceFailuresQuery,
  WorkspaceRunsQuery,
} from '../../runs/prepare/run.schema.ts';
import { readPreview } from '../../runs/read/call-progress.ts';
import {
  getExecutionRow,
  listReadableRuns,
  readExecution,
  readExecutionGraph,
  readNodeOutputs,
} from '../../runs/read/executions.ts';
import {
  EventStream,
  ExecutedGraph,
  ExecutionPage,
  ExecutionRecord,
  Failures,
  NodeState,
  Success,
  WorkflowResults,
  WorkspaceRunPage,
} from '../../runs/read/run-response.schema.ts';
import { watchRun } from '../../runs/read/watch-run.ts';
import { readWorkflowResults } from '../../runs/read/workflow-results.ts';
import {
  listInstanceFailures,
  listInstanceRuns,
  listWorkspaceFailures,
  listWorkspaceRuns,
} from '../../runs/read/workspace-runs.ts';
import { Plain } from '../../services/schema.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import { sendJson } from '../conditional.ts';
import type { Server } from '../deps.ts';
import { parseLastEventId, streamEvents } from '../event-stream.ts';
import { streamJson } from '../json-stream.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';

const operation = createDescriber('Executions');
const adminOperation = createDescriber('Administration');

export function registerExecutions(server: Server, deps: RunDeps): void {
  server.get(
    '/api/v1/workflows/:id/executions',
    operation('listWorkflowExecutions', 'workflows:read', {
      summary: 'List the runs of a workflow',
      description:
        'Returns the executions of a workflow, newest first, without node states, inputs and outputs.',
      params: WorkflowParams,
      querystring: ListExecutionsQuery,
      response: { 200: ExecutionPage },
    }),
    req => listReadableRuns(deps, req.actor, req.query, req.params.id),
  );
  server.get(
    '/api/v1/workflows/:id/results',
    operation('listWorkflowResults', 'workflows:read', {
      summary: 'Read the newest result of each node',
      description:
        'Returns a completed result of each node of a workflow, and whether the node and all nodes before it are the same as in that run: the newest such result, or else the newest one. Leaves out the runs of its app, which belong to the visitors.',
      params: WorkflowParams,
      response: { 200: WorkflowResults },
      isUncacheable: true,
    }),
    req => readWorkflowResults(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/executions',
    operation('listExecutions', 'workflows:read', {
      summary: 'List the runs that you started',
      description: 'Returns the executions that you started, newest first, without node states.',
      querystring: ListExecutionsQuery,
      response: { 200: ExecutionPage },
    }),
    req => listReadableRuns(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/workspace/executions',
    operation('listWorkspaceRuns', 'workflows:read', {
      summary: 'List the runs of your active workspace',
      description:
        'Returns the runs that anyone started in your active workspace, newest first. If few runs match, a page can be short or empty: continue with `nextCursor` until it is null.',
      errors: ['forbidden'],
      querystring: WorkspaceRunsQuery,
      response: { 200: WorkspaceRunPage },
    }),
    req => listWorkspaceRuns(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/workspace/failures',
    operation('listWorkspaceFailures', 'workflows:read', {
      summary: 'Group the failed runs of your active workspace',
      description:
        'Groups the newest failed runs of your active workspace by error code and failed node type.',
      errors: ['forbidden'],
      querystring: WorkspaceFailuresQuery,
      response: { 200: Failures },
    }),
    req => listWorkspaceFailures(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/admin/executions',
    adminOperation('listInstanceRuns', 'instance:admin', {
      summary: 'List the runs of the instance',
      description:
        'Returns the runs of all teams and of your personal workspace, newest first, without inputs and results. `personal=true` includes personal workspaces of others. If few runs match, a page can be short or empty: continue with `nextCursor` until it is null.',
      querystring: InstanceRunsQuery,
      response: { 200: WorkspaceRunPage },
    }),
    req => listInstanceRuns(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/admin/failures',
    adminOperation('listInstanceFailures', 'instance:admin', {
      summary: 'Group the failed runs of the instance',
      description:
        'Groups the newest failed runs by error code and failed node type, with the same filters as the list of runs.',
      querystring: InstanceFailuresQuery,
      response: { 200: Failures },
    }),
    req => listInstanceFailures(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/executions/:id',
    operation('getExecution', 'workflows:read', {
      summary: 'Read an execution',
      description:
        'Returns the complete record of an execution: status, node states, outputs, credits and webhook.',
      params: ExecutionId,
      querystring: ReadExecutionQuery,
      response: { 200: ExecutionRecord },
      isUncacheable: true,
    }),
    req => readExecution(deps, req.actor, req.params.id, req.query),
  );
  server.get(
    '/api/v1/executions/:id/outputs/:nodeId',
    operation('getNodeOutputs', 'workflows:read', {
      summary: 'Read the complete outputs of a node',
      description:
        'Returns the state of one node with complete values, also if they are `truncated` in the execution.',
      params: ExecutionNode,
      querystring: ReadExecutionQuery,
      response: { 200: NodeState },
      isUncacheable: true,
      isStreamed: true,
    }),
    async (req, reply) => {
      const { state, bytes } = await readNodeOutputs(deps, req.actor, req.params, req.query);
      reply.holdMemory(bytes);
      return sendJson(reply, streamJson(state));
    },
  );
  server.get(
    '/api/v1/executions/:id/previews/:nodeId',
    operation('getNodePreview', 'workflows:read', {
      summary: 'Read the preview of a node that runs',
      description:
        'Returns the newest preview of a ComfyUI graph. `progress` events have its URL as `previewUrl`. When the node ends, the response is 404.',
      params: ExecutionNode,
      querystring: PreviewQuery,
      response: { 200: Plain('image/jpeg', 'image/png', 'image/webp') },
      isUncacheable: true,
    }),
    async (req, reply) => {
      const { preview, preview_type } = await readPreview(deps, req.actor, req.params);
      return reply.header('content-type', preview_type).send(preview);
    },
  );
  server.delete(
    '/api/v1/executions/:id',
    operation('deleteExecution', 'workflows:write', {
      summary: 'Delete an execution that has ended',
      description: 'Deletes the record of a run that has ended. Its media are kept.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: ExecutionId,
      response: { 200: Success },
    }),
    req => deleteExecution(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/executions/:id/workflow',
    operation('getExecutionGraph', 'workflows:read', {
      summary: 'Read the graph of an execution',
      description: 'Returns the graph that the run executes.',
      params: ExecutionId,
      querystring: ReadExecutionQuery,
      response: { 200: ExecutedGraph },
    }),
    async (req, reply) =>
      sendJson(reply, await readExecutionGraph(deps, req.actor, req.params.id, req.query)),
  );
  server.get(
    '/api/v1/executions/:id/events',
    operation('streamExecution', 'workflows:read', {
      summary: 'Stream the events of an execution',
      description:
        'Streams server-sent events. The first is `snapshot`, the complete record. `node`, `execution` and `progress` events follow as the run changes, with a comment every 15 s. The stream ends with the run. The `data` of each event is JSON. Event ids increase: with `Last-Event-ID`, the stream resumes after that event, and the response is 204 if no events are left. `progress` events have no id. Each process allows 20 open streams per account and 200 per IP address.',
      errors: [...RESOURCE_ERRORS, 'too_many_streams'],
      params: ExecutionId,
      headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
      response: { 200: EventStream, 204: Type.Null() },
      requestHeaders: ['Last-Event-ID'],
    }),
    (req, reply) => {
      const { actor, params } = req;
      const afterId = parseLastEventId(req);
      return streamEvents(deps, req, reply, {
        checkAccess: current => getExecutionRow(deps, current, params.id),
        watch: signal => watchRun(deps, actor, params.id, { afterId, signal }),
      });
    },
  );
  server.post(
    '/api/v1/executions/:id/cancel',
    operation('cancelExecution', 'workflows:execute', {
      summary: 'Cancel an execution',
      description:
        'Cancels a run. Completed nodes keep their results and charges. Has no effect on a run that has ended.',
      params: ExecutionId,
      response: { 200: ExecutionRecord },
    }),
    req => cancelRun(deps, req.actor, req.params.id),
  );
}
