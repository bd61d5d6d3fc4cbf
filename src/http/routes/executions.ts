// Executions over HTTP: the record, the lists, the event stream, cancel.
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
  listRuns,
} from '../../runs/executions.ts';
import { ExecutionId, ListExecutionsQuery } from '../../runs/run.schema.ts';
import {
  EventStream,
  ExecutedGraph,
  ExecutionPage,
  ExecutionRecord,
  Success,
} from '../../runs/run-answer.schema.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { sendJson } from '../conditional.ts';
import { sendEvents, streamSignal } from '../event-stream.ts';

const tags = ['Executions'];

export function registerExecutions(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/workflows/:id/executions',
    {
      schema: {
        tags,
        summary: 'List the runs of a workflow',
        params: WorkflowId,
        querystring: ListExecutionsQuery,
        response: { 200: ExecutionPage },
      },
    },
    req => listRuns(deps, req.actor, req.query, req.params.id),
  );
  app.get(
    '/api/v1/executions',
    {
      schema: {
        tags,
        summary: 'List the runs that you started',
        querystring: ListExecutionsQuery,
        response: { 200: ExecutionPage },
      },
    },
    req => listRuns(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/executions/:id',
    {
      schema: { tags, summary: 'Read an execution', params: ExecutionId, response: { 200: ExecutionRecord } },
    },
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return getExecution(deps, req.actor, req.params.id);
    },
  );
  app.delete(
    '/api/v1/executions/:id',
    {
      schema: {
        tags,
        summary: 'Delete an execution that has ended',
        params: ExecutionId,
        response: { 200: Success },
      },
    },
    req => removeExecution(deps, req.actor, req.params.id),
  );
  app.get(
    '/api/v1/executions/:id/workflow',
    {
      schema: {
        tags,
        summary: 'Read the graph as it ran',
        params: ExecutionId,
        response: { 200: ExecutedGraph },
      },
    },
    async (req, reply) => sendJson(reply, await getExecutionGraph(deps, req.actor, req.params.id)),
  );
  app.get(
    '/api/v1/executions/:id/events',
    {
      schema: {
        tags,
        summary: 'Follow an execution by server-sent events',
        params: ExecutionId,
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 20 })) }),
        description:
          'Events `snapshot` (the whole record), `node` (a NodeState), `execution` (the record less its nodes) and ' +
          '`progress` ({nodeId, progress}); 204 where no event is left after `Last-Event-ID`.',
        response: { 200: EventStream, 204: Type.Null() },
      },
    },
    (req, reply) => streamEvents(deps, req, reply, req.params.id),
  );
  app.post(
    '/api/v1/executions/:id/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel an execution',
        params: ExecutionId,
        response: { 200: ExecutionRecord },
      },
    },
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
  // No event is left: 204 keeps an EventSource from asking again.
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
