// Registers the routes that start and resume runs.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AcceptedRun as Accepted } from '../../runs/accept/accepted-run.ts';
import { resumeRun } from '../../runs/accept/resume-run.ts';
import { startRun } from '../../runs/accept/start-run.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { ExecuteBody, ExecutionId, ResumeBody, RunBody } from '../../runs/prepare/run.schema.ts';
import { AcceptedRun, ExecutionRecord } from '../../runs/read/run-response.schema.ts';
import { type AwaitedRun, awaitRun } from '../../runs/read/watch-run.ts';
import { findWebhookError } from '../../services/webhooks/webhook-target.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { COMPONENT_ERRORS, createDescriber, RESOURCE_ERRORS } from '../route.ts';
import { parsePrefer, parseStartOptions } from '../start-headers.ts';

const operation = createDescriber('Runs');
const rawProperties = { inputs: 'validated', config: 'validated', metadata: 'opaque' } as const;
const response = { 200: ExecutionRecord, 202: AcceptedRun };
const RUN_PARAMETERS = { parameters: { id: '$response.body#/executionId' } } as const;
const links = {
  202: {
    execution: { operationId: 'getExecution', description: 'Read the execution', ...RUN_PARAMETERS },
    events: {
      operationId: 'streamExecution',
      description: 'Stream the events of the execution',
      ...RUN_PARAMETERS,
    },
    cancel: { operationId: 'cancelExecution', description: 'Cancel the execution', ...RUN_PARAMETERS },
  },
};
export const START_ERRORS = [
  ...RESOURCE_ERRORS,
  'invalid_graph',
  'invalid_inputs',
  'cyclic_graph',
  ...COMPONENT_ERRORS,
  'provider_not_configured',
  'local_nodes_off',
  'comfyui_missing',
  'svg_not_drawable',
  'no_sample',
  'workflow_inactive',
  'insufficient_credits',
  'max_credits_exceeded',
  'daily_budget_exceeded',
  'daily_limit_exceeded',
  'member_limit_exceeded',
  'key_limit_exceeded',
  'unpriced_model',
  'not_allowed_by_policy',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'unreadable_image',
  'daily_execution_limit',
] as const;
const WAIT_DESCRIPTION =
  'Returns 202 as soon as the run is stored. The run continues if the client disconnects. With `Prefer: wait=N`, the ' +
  'response is 200 with the record if the run ends within N seconds (at most 60). With `Idempotency-Key`, the request can ' +
  'be repeated for 24 hours and starts only one run.';

export function registerRuns(server: Server, deps: RunDeps): void {
  server.post(
    '/api/v1/workflows/:id/run',
    {
      ...operation('runWorkflow', 'workflows:execute', {
        summary: 'Start a run with an optional webhook',
        description: `Starts a run of the current graph. ${WAIT_DESCRIPTION} If the request has a \`webhook\`, the result is sent to it.`,
        errors: [...START_ERRORS, 'invalid_webhook'],
        params: WorkflowParams,
        body: RunBody,
        response,
        links,
        startsRun: true,
        rawProperties,
      }),
      // Runs before the schema: an invalid webhook is reported before other faults of the body (docs/api.md, Webhooks).
      preValidation: (req, _reply, done) => done(findWebhookError(deps, getWebhook(req.body))),
    },
    async (req, reply) => {
      const { webhook, ...request } = req.body;
      const run = {
        workflowId: req.params.id,
        idempotencyScope: 'run',
        request,
        webhook,
        ...parseStartOptions(req),
      } as const;
      return sendRun(deps, req, reply, await startRun(deps, req.actor, run));
    },
  );
  server.post(
    '/api/v1/workflows/:id/execute',
    operation('executeWorkflow', 'workflows:execute', {
      summary: 'Start a run',
      description: `Starts a run like \`run\`, without a webhook. Counts against the executions per minute. ${WAIT_DESCRIPTION}`,
      errors: START_ERRORS,
      params: WorkflowParams,
      body: ExecuteBody,
      response,
      links,
      startsRun: true,
      limit: 'executions',
      rawProperties,
    }),
    async (req, reply) => {
      const run = {
        workflowId: req.params.id,
        idempotencyScope: 'execute',
        request: req.body,
        ...parseStartOptions(req),
      } as const;
      return sendRun(deps, req, reply, await startRun(deps, req.actor, run));
    },
  );
  server.post(
    '/api/v1/executions/:id/resume',
    {
      ...operation('resumeExecution', 'workflows:execute', {
        summary: 'Resume an execution',
        description: `Continues a run that is waiting for a decision, with your \`decision\`. A run that has ended is started again under a new id with \`resumedFromId\`: nodes that have not changed are reused at no charge. ${WAIT_DESCRIPTION}`,
        errors: [...START_ERRORS, 'invalid_webhook', 'not_resumable'],
        params: ExecutionId,
        body: ResumeBody,
        response,
        links,
        startsRun: true,
        rawProperties: { inputs: 'validated' },
      }),
      preValidation: (req, _reply, done) => done(findWebhookError(deps, getWebhook(req.body))),
    },
    async (req, reply) => {
      const { idempotencyKey } = parseStartOptions(req);
      const run = { executionId: req.params.id, request: req.body, idempotencyKey };
      return sendRun(deps, req, reply, await resumeRun(deps, req.actor, run));
    },
  );
}

export function getWebhook(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'webhook' in body ? body.webhook : undefined;
}

/** Sends 202. With `Prefer: wait`, sends 200 and the record of the run if it ends in time. */
async function sendRun(
  deps: RunDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  accepted: Accepted,
): Promise<unknown> {
  reply.header('location', getExecutionUrl(deps, accepted.executionId));
  if (accepted.replayed) reply.header('idempotent-replayed', 'true');
  const { waitSeconds, ...warnings } = parsePrefer(req.headers.prefer);
  if (waitSeconds === 0) return reply.code(202).send(presentAcceptedRun(deps, accepted, 'QUEUED'));
  reply.header('preference-applied', `wait=${waitSeconds}`);
  const { executionId } = accepted;
  const { record, status } = await awaitRun(
    deps,
    req.actor,
    executionId,
    waitSeconds * 1000,
    reply.closeSignal(),
  );
  if (record !== undefined) return reply.code(200).send({ ...record, ...presentSampleWarnings(accepted) });
  return reply.code(202).send({ ...presentAcceptedRun(deps, accepted, status), ...warnings });
}

function presentAcceptedRun(deps: RunDeps, accepted: Accepted, status: AwaitedRun['status']) {
  const { executionId, workflowId, estimatedCredits, createdAt } = accepted;
  const self = getExecutionUrl(deps, executionId);
  return {
    executionId,
    workflowId,
    estimatedCredits,
    createdAt: createdAt.toISOString(),
    ...presentSampleWarnings(accepted),
    status,
    urls: { self, events: `${self}/events`, cancel: `${self}/cancel` },
  };
}

const presentSampleWarnings = ({ warnings }: Accepted) =>
  warnings.length === 0 ? {} : { meta: { warnings } };

/** Sends 202 with the Location of the run. */
export const sendStartedRun = (deps: RunDeps, reply: FastifyReply, run: { readonly executionId: string }) =>
  reply.code(202).header('location', getExecutionUrl(deps, run.executionId)).send(run);

const getExecutionUrl = ({ settings }: RunDeps, executionId: string): string =>
  `${settings.BASE_URL}/api/v1/executions/${executionId}`;
