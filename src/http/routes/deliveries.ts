// Registers the routes for webhook deliveries: list deliveries, redeliver an event, and test a webhook.
import { Type } from 'typebox';
import type { RunDeps } from '../../runs/deps.ts';
import { listExecutionDeliveries, redeliver, testWebhook } from '../../runs/end/deliveries.ts';
import { ExecutionId, RunBody } from '../../runs/prepare/run.schema.ts';
import { Delivery, DeliveryPage, WebhookTestResult } from '../../runs/read/run-response.schema.ts';
import { findWebhookError } from '../../services/webhooks/webhook-target.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';

const operation = createDescriber('Webhooks');

export function registerDeliveries(server: Server, deps: RunDeps): void {
  server.get(
    '/api/v1/executions/:id/deliveries',
    operation('listDeliveries', 'workflows:read', {
      summary: 'List the webhook deliveries of an execution',
      description:
        'Returns each delivery attempt with its time, status code and the first KB of the response.',
      params: ExecutionId,
      response: { 200: DeliveryPage },
      isUncacheable: true,
    }),
    req => listExecutionDeliveries(deps, req.actor, req.params.id),
  );
  server.post(
    '/api/v1/executions/:id/deliveries/:deliveryId/redeliver',
    operation('redeliver', 'workflows:execute', {
      summary: 'Redeliver an event',
      description: 'Sends the event again with the same `eventId`.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: Type.Object({ ...ExecutionId.properties, deliveryId: Type.String({ maxLength: 64 }) }),
      response: { 202: Delivery },
    }),
    async (req, reply) => {
      const delivery = await redeliver(deps, req.actor, req.params.id, req.params.deliveryId);
      return reply.code(202).send(delivery);
    },
  );
  server.post(
    '/api/v1/webhooks/test',
    {
      ...operation('testWebhook', 'workflows:execute', {
        summary: 'Test a webhook',
        description: 'Sends a signed sample event to a webhook and returns the response of the receiver.',
        errors: ['invalid_webhook'],
        body: RunBody.properties.webhook,
        response: { 200: WebhookTestResult },
      }),
      preValidation: (req, _reply, done) => done(findWebhookError(deps, req.body)),
    },
    (req, reply) => testWebhook(deps, req.actor, req.body, reply.closeSignal()),
  );
}
