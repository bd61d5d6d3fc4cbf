// Starting runs over HTTP.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { RunDeps } from '../../runs/deps.ts';
import type { AcceptedRun as Accepted } from '../../runs/idempotency.ts';
import { resumeRun } from '../../runs/resume-run.ts';
import { ExecuteBody, ExecutionId, ResumeBody, RunBody } from '../../runs/run.schema.ts';
import { AcceptedRun, ExecutionRecord } from '../../runs/run-answer.schema.ts';
import { startRun } from '../../runs/start-run.ts';
import { type AwaitedRun, awaitRun } from '../../runs/watch-run.ts';
import { webhookFault } from '../../services/webhooks/webhook-target.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { parsePrefer } from '../prefer.ts';
import { documented } from '../route.ts';

const about = documented('Runs');
const asSent = { inputs: 'read', metadata: 'opaque' } as const;
const response = { 200: ExecutionRecord, 202: AcceptedRun };

export function registerRuns(app: App, deps: RunDeps): void {
  app.post(
    '/api/v1/workflows/:id/run',
    {
      ...about('Start a run; a webhook reports its end', response, { params: WorkflowId, body: RunBody }),
      config: { startsRun: true, asSent },
      // Before the schema: an unusable webhook comes before any other complaint about the body (docs/api.md, Webhooks).
      preValidation: (req, _reply, done) => done(webhookFault(deps, webhookOf(req.body))),
    },
    async (req, reply) => {
      const { webhook, ...request } = req.body;
      const run = { workflowId: req.params.id, route: 'run', request, webhook, ...askedBy(req) } as const;
      return answer(deps, req, reply, await startRun(deps, req.actor, run));
    },
  );
  app.post(
    '/api/v1/workflows/:id/execute',
    {
      ...about('Start a run', response, { params: WorkflowId, body: ExecuteBody }),
      config: { startsRun: true, limit: 'executions', asSent },
    },
    async (req, reply) => {
      const run = {
        workflowId: req.params.id,
        route: 'execute',
        request: req.body,
        ...askedBy(req),
      } as const;
      return answer(deps, req, reply, await startRun(deps, req.actor, run));
    },
  );
  app.post(
    '/api/v1/executions/:id/resume',
    {
      ...about(
        'Decide for an execution that waits, or run an ended one again from where it failed',
        response,
        { params: ExecutionId, body: ResumeBody },
      ),
      config: { startsRun: true, asSent: { inputs: 'read' } },
      preValidation: (req, _reply, done) => done(webhookFault(deps, webhookOf(req.body))),
    },
    async (req, reply) => {
      const { idempotencyKey } = askedBy(req);
      const run = { executionId: req.params.id, request: req.body, idempotencyKey };
      return answer(deps, req, reply, await resumeRun(deps, req.actor, run));
    },
  );
}

function webhookOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'webhook' in body ? body.webhook : undefined;
}

/** What the headers of a start say of it. */
const askedBy = (req: FastifyRequest) => ({
  idempotencyKey: singleHeader(req, 'idempotency-key'),
  trigger: triggerOf(req),
});

/** 202, or with `Prefer: wait` 200 and the record of the run where it ends in time. */
async function answer(
  deps: RunDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  accepted: Accepted,
): Promise<unknown> {
  reply.header('location', addressOf(deps, accepted.executionId));
  if (accepted.replayed) reply.header('idempotent-replayed', 'true');
  const { waitSeconds, warnings } = parsePrefer(req.headers.prefer);
  if (waitSeconds === 0) return reply.code(202).send(presentAccepted(deps, accepted, 'QUEUED'));
  reply.header('preference-applied', `wait=${waitSeconds}`);
  const { executionId } = accepted;
  const waited = await awaitRun(deps, req.actor, executionId, waitSeconds * 1000, reply.closeSignal());
  if (waited.record !== undefined) return reply.code(200).send(waited.record);
  return reply.code(202).send({ ...presentAccepted(deps, accepted, waited.status), ...warnings });
}

function presentAccepted(deps: RunDeps, { replayed: _, ...run }: Accepted, status: AwaitedRun['status']) {
  const accepted = { ...run, status };
  const self = addressOf(deps, accepted.executionId);
  return { ...accepted, urls: { self, events: `${self}/events`, cancel: `${self}/cancel` } };
}

const addressOf = ({ settings }: RunDeps, executionId: string): string =>
  `${settings.BASE_URL}/api/v1/executions/${executionId}`;

/** What a client calls itself; nothing depends on it. */
function triggerOf(req: FastifyRequest): string {
  const client = req.headers['x-client'];
  return client === 'editor' || client === 'cli' ? client : 'api';
}

function singleHeader(req: FastifyRequest, name: string): string | undefined {
  const value = req.headers[name];
  if (Array.isArray(value)) throw new AppError('invalid_request', `${name} may be sent once only.`);
  return value;
}
