// Registers the routes for triggers, and the route that receives the requests of hooks.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  changeTrigger,
  createTrigger,
  removeTrigger,
  runTrigger,
} from '../../automation/triggers/change-trigger.ts';
import { listTriggerEvents, listTriggerPage, readTrigger } from '../../automation/triggers/read-trigger.ts';
import { type HookPayload, receiveHook } from '../../automation/triggers/receive-hook.ts';
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
import { decodeText } from '../../lib/charset.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import { parseJsonBody } from '../body.ts';
import type { Server } from '../deps.ts';
import { getClientAddress } from '../limits.ts';
import { readBytes } from '../read-bytes.ts';
import { createDescriber, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';
import { START_ERRORS, sendStartedRun } from './runs.ts';

const operation = createDescriber('Automations');
const MAX_HOOK_BYTES = 1_048_576;

export function registerTriggers(server: Server, deps: RunDeps): void {
  registerHookAddress(server, deps);
  server.get(
    '/api/v1/workflows/:id/triggers',
    operation('listWorkflowTriggers', 'workflows:read', {
      summary: 'List the triggers of a workflow',
      description: 'Returns the triggers of the workflow, newest first.',
      params: WorkflowParams,
      querystring: PageQuery,
      response: { 200: TriggerPage },
    }),
    req => listTriggerPage(deps, req.actor, req.query, req.params.id),
  );
  server.post(
    '/api/v1/workflows/:id/triggers',
    operation('createTrigger', 'workflows:execute', {
      summary: 'Create a trigger',
      description:
        'Creates a trigger, which starts a run with your permissions for each event: a request to a secret URL (`hook`), the end of a run of another workflow (`after`), a new item of an RSS or Atom feed (`feed`) or a new file (`bucket`). `inputs` maps values of the payload to input nodes. The URL of a hook is returned only once.',
      errors: [...RESOURCE_ERRORS, 'invalid_inputs', 'conflict'],
      params: WorkflowParams,
      body: CreateTriggerBody,
      response: { 201: CreatedTrigger },
    }),
    async (req, reply) => {
      const trigger = await createTrigger(deps, req.actor, req.params.id, req.body);
      return setCreated(deps, reply, `/api/v1/triggers/${trigger.id}`).send(trigger);
    },
  );
  server.get(
    '/api/v1/triggers',
    operation('listTriggers', 'workflows:read', {
      summary: 'List your triggers',
      description: 'Returns the triggers of all workflows that you may edit, newest first.',
      querystring: PageQuery,
      response: { 200: TriggerPage },
    }),
    req => listTriggerPage(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/triggers/:id',
    operation('getTrigger', 'workflows:read', {
      summary: 'Read a trigger',
      description: 'Returns a trigger. If the service paused it, `pausedReason` has the reason.',
      params: TriggerParams,
      response: { 200: Trigger },
    }),
    req => readTrigger(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/triggers/:id',
    operation('updateTrigger', 'workflows:execute', {
      summary: 'Change a trigger',
      description:
        'Changes, pauses or activates a trigger. Absent members of `config` do not change. Activating a trigger resets its count of failures.',
      errors: [...RESOURCE_ERRORS, 'invalid_inputs', 'conflict'],
      params: TriggerParams,
      body: ChangeTriggerBody,
      response: { 200: CreatedTrigger },
    }),
    req => changeTrigger(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/triggers/:id',
    operation('deleteTrigger', 'workflows:execute', {
      summary: 'Delete a trigger',
      description: 'Deletes a trigger with its history. Its executions stay.',
      params: TriggerParams,
      response: { 200: Success },
    }),
    req => toSuccess(removeTrigger(deps, req.actor, req.params.id)),
  );
  server.post(
    '/api/v1/triggers/:id/run',
    operation('runTrigger', 'workflows:execute', {
      summary: 'Run a trigger by hand',
      description:
        'Starts a run with your permissions, as if the event had this payload, even if the trigger is paused. A failure of this run does not count as a failure of the trigger. Counts against the executions per minute.',
      errors: START_ERRORS,
      params: TriggerParams,
      body: RunTriggerBody,
      inexactNumbers: 'keep',
      response: { 202: StartedRun },
      limit: 'executions',
    }),
    async (req, reply) =>
      sendStartedRun(deps, reply, await runTrigger(deps, req.actor, req.params.id, req.body.payload)),
  );
  server.get(
    '/api/v1/triggers/:id/events',
    operation('listTriggerEvents', 'workflows:read', {
      summary: 'Read the history of a trigger',
      description:
        'Returns the last 100 events of the trigger, newest first: accepted and refused runs, and skipped items, with reasons.',
      params: TriggerParams,
      querystring: PageQuery,
      response: { 200: TriggerEventPage },
      isUncacheable: true,
    }),
    req => listTriggerEvents(deps, req.actor, req.params.id, req.query),
  );
}

/** Registers the URL of hooks in a scope that does not parse bodies, because signatures cover the raw bytes. */
function registerHookAddress(server: Server, deps: RunDeps): void {
  server.register(async (scope: Server) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', readBytes);
    scope.post(
      '/in/:token',
      {
        ...operation('receiveHook', 'public', {
          summary: 'Call a hook',
          description:
            'Starts a run of the workflow whose trigger has this token. The body, JSON, a form or text, is the payload. Pointers also select from forms, and from JSON whose content type is another one. If the trigger has a secret, the request must have a Standard Webhooks signature. A request from which the trigger takes more than 4 MB of inputs is refused. A request that repeats a `webhook-id` within 24 hours starts no run and gets the first response. Allows 60 requests a minute, and 60 requests a minute of a network to unknown tokens.',
          errors: [
            'not_found',
            'unauthorized',
            'trigger_paused',
            'trigger_refused',
            'rate_limited',
            'conflict',
          ],
          // Of any length, so that a wrong token is unknown rather than invalid.
          params: Type.Object({ token: Type.String() }),
          limit: 'none',
          response: { 202: StartedRun },
        }),
        bodyLimit: MAX_HOOK_BYTES,
      },
      async (req, reply) => {
        const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
        const { token } = req.params;
        const parse = (bytes: Buffer): HookPayload => parsePayload(req, bytes);
        const request = { token, address: getClientAddress(req), headers: req.headers, body, parse };
        return reply.code(202).send(await receiveHook(deps, request));
      },
    );
  });
}

/** Parses a JSON body. Any other body is text, or null if there is no body. */
function parsePayload(req: FastifyRequest, body: Buffer): HookPayload {
  if (body.length === 0) return { payload: null, members: null };
  const contentType = req.headers['content-type'] ?? '';
  if (/json/i.test(contentType)) {
    const payload = parseJsonBody(req, body);
    return { payload, members: payload };
  }
  const text = decodeText(body, contentType).replaceAll('\0', '');
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  return {
    payload: text,
    members: parseAsJson(req, body) ?? (isForm ? Object.fromEntries(new URLSearchParams(text)) : text),
  };
}

/** Parses JSON that its content type does not declare: many programs, such as `curl -d`, declare another one. */
function parseAsJson(req: FastifyRequest, body: Buffer): unknown {
  if (!/^\s*[[{]/.test(body.toString('utf8', 0, 100))) return undefined;
  try {
    return parseJsonBody(req, body);
  } catch {
    return undefined;
  }
}
