// Routes of triggers, and the address at which hooks are called.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  changeTrigger,
  createTrigger,
  removeTrigger,
  runTrigger,
} from '../../automation/triggers/change-trigger.ts';
import { getTrigger, listTriggerEvents, listTriggerPage } from '../../automation/triggers/read-trigger.ts';
import { receiveHook } from '../../automation/triggers/receive-hook.ts';
import {
  ChangeTriggerBody,
  CreatedTrigger,
  CreateTriggerBody,
  RunTriggerBody,
  StartedRun,
  Trigger,
  TriggerEventPage,
  TriggerPage,
  TriggerParams,
} from '../../automation/triggers/trigger.schema.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowId } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import { parseJsonBody } from '../body.ts';
import { created, listOperations, RESOURCE_ERRORS, whenDone } from '../route.ts';
import { START_ERRORS } from './runs.ts';

const operation = listOperations('Automations');
const MAX_HOOK_BYTES = 1_048_576;

export function registerTriggers(app: App, deps: RunDeps): void {
  registerHookAddress(app, deps);
  app.get(
    '/api/v1/workflows/:id/triggers',
    operation('listWorkflowTriggers', 'workflows:read', {
      summary: 'List the triggers of a workflow',
      description: 'Returns what starts runs of the workflow when something happens, newest first.',
      errors: RESOURCE_ERRORS,
      params: WorkflowId,
      querystring: PageQuery,
      response: { 200: TriggerPage },
    }),
    req => listTriggerPage(deps, req.actor, req.query, req.params.id),
  );
  app.post(
    '/api/v1/workflows/:id/triggers',
    operation('createTrigger', 'workflows:execute', {
      summary: 'Create a trigger',
      description:
        'Starts runs of the workflow, as you, when something happens: a request to a secret address (`hook`), the end of a run of another workflow (`after`), a new item of an RSS or Atom feed (`feed`) or a new file (`bucket`). `inputs` takes the values of input nodes out of the payload. The address of a hook is returned only once.',
      errors: [...RESOURCE_ERRORS, 'invalid_inputs', 'conflict'],
      params: WorkflowId,
      body: CreateTriggerBody,
      response: { 201: CreatedTrigger },
    }),
    async (req, reply) => {
      const trigger = await createTrigger(deps, req.actor, req.params.id, req.body);
      return created(deps, reply, `/api/v1/triggers/${trigger.id}`).send(trigger);
    },
  );
  app.get(
    '/api/v1/triggers',
    operation('listTriggers', 'workflows:read', {
      summary: 'List your triggers',
      description: 'Returns the triggers of all workflows that you may edit, newest first.',
      querystring: PageQuery,
      response: { 200: TriggerPage },
    }),
    req => listTriggerPage(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/triggers/:id',
    operation('getTrigger', 'workflows:read', {
      summary: 'Read a trigger',
      description: 'Returns a trigger. `pausedReason` says why it paused by itself.',
      errors: RESOURCE_ERRORS,
      params: TriggerParams,
      response: { 200: Trigger },
    }),
    req => getTrigger(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/triggers/:id',
    operation('updateTrigger', 'workflows:execute', {
      summary: 'Change a trigger',
      description:
        'Changes, pauses or activates a trigger. Members of `config` that are absent stay. An activated trigger starts without its earlier failures.',
      errors: [...RESOURCE_ERRORS, 'invalid_inputs', 'conflict'],
      params: TriggerParams,
      body: ChangeTriggerBody,
      response: { 200: CreatedTrigger },
    }),
    req => changeTrigger(deps, req.actor, req.params.id, req.body),
  );
  app.delete(
    '/api/v1/triggers/:id',
    operation('deleteTrigger', 'workflows:execute', {
      summary: 'Delete a trigger',
      description: 'Deletes a trigger with its history. Its runs stay.',
      errors: RESOURCE_ERRORS,
      params: TriggerParams,
      response: { 200: Success },
    }),
    req => whenDone(removeTrigger(deps, req.actor, req.params.id)),
  );
  app.post(
    '/api/v1/triggers/:id/run',
    operation('runTrigger', 'workflows:execute', {
      summary: 'Run a trigger by hand',
      description:
        'Starts a run with your rights, as the event would with this payload. Works for a paused trigger too, and a failure does not count. Counts against the executions per minute.',
      errors: START_ERRORS,
      params: TriggerParams,
      body: RunTriggerBody,
      response: { 202: StartedRun },
      limit: 'executions',
    }),
    async (req, reply) => {
      const started = await runTrigger(deps, req.actor, req.params.id, req.body.payload);
      const path = `/api/v1/executions/${started.executionId}`;
      return reply.code(202).header('location', `${deps.settings.BASE_URL}${path}`).send(started);
    },
  );
  app.get(
    '/api/v1/triggers/:id/events',
    operation('listTriggerEvents', 'workflows:read', {
      summary: 'Read the history of a trigger',
      description:
        'Returns the last 100 entries, newest first: runs that were accepted or refused, and what was skipped, with reasons.',
      errors: RESOURCE_ERRORS,
      params: TriggerParams,
      querystring: PageQuery,
      response: { 200: TriggerEventPage },
    }),
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return listTriggerEvents(deps, req.actor, req.params.id, req.query);
    },
  );
}

/** Registers the address of hooks in a scope of its own: signatures are of the raw bytes. */
function registerHookAddress(app: App, deps: RunDeps): void {
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, done) => done(null, body));
    scope.post(
      '/in/:token',
      {
        ...operation('receiveHook', 'public', {
          summary: 'Call a hook',
          description:
            'Starts a run of the workflow of the trigger with this token. The body, JSON or text, is the payload. If the trigger has a secret, the request must have a Standard Webhooks signature. A `webhook-id` of the last 24 hours starts nothing and gets the same response. At most 60 requests a minute.',
          errors: [
            'not_found',
            'unauthorized',
            'trigger_paused',
            'trigger_refused',
            'rate_limited',
            'conflict',
          ],
          params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
          limit: 'none',
          response: { 202: StartedRun },
        }),
        bodyLimit: MAX_HOOK_BYTES,
      },
      async (req, reply) => {
        const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
        const { token } = req.params;
        const parse = (bytes: Buffer): unknown => parsePayload(req, bytes);
        const started = await receiveHook(deps, { token, headers: req.headers, body, parse });
        reply.code(202);
        return started;
      },
    );
  });
}

/** Returns the payload: JSON, or the text of another type; null without a body. */
function parsePayload(req: FastifyRequest, body: Buffer): unknown {
  if (body.length === 0) return null;
  const isJson = /json/i.test(req.headers['content-type'] ?? '');
  return isJson ? parseJsonBody(req, body) : body.toString('utf8').replaceAll('\0', '');
}
