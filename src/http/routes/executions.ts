// Routes of executions: records, lists, event streams and cancellation.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { removeExecution } from '../../runs/delete-execution.ts';
import type { RunDeps } from '../../runs/deps.ts';
import {
  cancelRun,
  getExecution,
  getExecutionGraph,
  getExecutionRow,
  getNodeOutputs,
  listRuns,
} from '../../runs/executions.ts';
import { ExecutionId, ExecutionNode, ListExecutionsQuery } from '../../runs/run.schema.ts';
import {
  EventStream,
  ExecutedGraph,
  ExecutionPage,
  ExecutionRecord,
  NodeState,
  Success,
} from '../../runs/run-answer.schema.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { sendJson } from '../conditional.ts';
import { sendEvents, streamSignal } from '../event-stream.ts';
import { documented } from '../route.ts';

const about = documented('Executions');

export function registerExecutions(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/workflows/:id/executions',
    about(
      'List the runs of a workflow',
      { 200: ExecutionPage },
      { params: WorkflowId, querystring: ListExecutionsQuery },
    ),
    req => listRuns(deps, req.actor, req.query, req.params.id),
  );
  app.get(
    '/api/v1/executions',
    about('List the runs that you started', { 200: ExecutionPage }, { querystring: ListExecutionsQuery }),
    req => listRuns(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/executions/:id',
    about('Read an execution', { 200: ExecutionRecord }, { params: ExecutionId }),
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return getExecution(deps, req.actor, req.params.id);
    },
  );
  app.get(
    '/api/v1/executions/:id/outputs/:nodeId',
    about('Read the complete outputs of a node', { 200: NodeState }, { params: ExecutionNode }),
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return getNodeOutputs(deps, req.actor, req.params.id, req.params.nodeId);
    },
  );
  app.delete(
    '/api/v1/executions/:id',
    about('Delete an execution that has ended', { 200: Success }, { params: ExecutionId }),
    req => removeExecution(deps, req.actor, req.params.id),
  );
  app.get(
    '/api/v1/executions/:id/workflow',
    about('Read the graph of an execution', { 200: ExecutedGraph }, { params: ExecutionId }),
    async (req, reply) => sendJson(reply, await getExecutionGraph(deps, req.actor, req.params.id)),
  );
  app.get(
    '/api/v1/executions/:id/events',
    about(
      'Stream the events of an execution',
      { 200: EventStream, 204: Type.Null() },
      {
        params: ExecutionId,
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
      },
    ),
    (req, reply) => streamEvents(deps, req, reply, req.params.id),
  );
  app.post(
    '/api/v1/executions/:id/cancel',
    about('Cancel an execution', { 200: ExecutionRecord }, { params: ExecutionId }),
    req => cancelRun(deps, req.actor, req.params.id),
  );
}

async function streamEvents(
  deps: RunDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  executionId: string,
): Promise<void> {
  const signal = streamSignal(req, reply, () => getExecutionRow(deps, req.actor, executionId));
  const events = await watchRun(deps, req.actor, executionId, {
    afterId: parseLastEventId(req),
    signal,
  });
  // No events are left. 204 stops an EventSource from reconnecting.
  if (events === undefined) {
    reply.code(204).send();
    return;
  }
  await sendEvents(deps, { req, reply }, { events, signal });
}

function parseLastEventId(req: FastifyRequest): number | undefined {
  const given = req.headers['last-event-id'];
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string' || !/^\d{1,9}$/.test(given))
    throw new AppError('invalid_request', 'Last-Event-ID must be the id of an event of this stream.');
  return Number(given);
}
