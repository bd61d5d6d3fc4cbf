// Routes of webhook deliveries: list them, redeliver an event, test a webhook.
import { Type } from 'typebox';
import { listExecutionDeliveries, redeliver, testWebhook } from '../../runs/deliveries.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { ExecutionId, RunBody } from '../../runs/run.schema.ts';
import { Delivery, DeliveryPage, WebhookTestAnswer } from '../../runs/run-answer.schema.ts';
import { webhookFault } from '../../services/webhooks/webhook-target.ts';
import type { App } from '../app.ts';
import { documented } from '../route.ts';

const about = documented('Webhooks');

export function registerDeliveries(app: App, deps: RunDeps): void {
  app.get(
    '/api/v1/executions/:id/deliveries',
    about('List the webhook deliveries of an execution', { 200: DeliveryPage }, { params: ExecutionId }),
    (req, reply) => {
      reply.header('cache-control', 'no-store');
      return listExecutionDeliveries(deps, req.actor, req.params.id);
    },
  );
  app.post(
    '/api/v1/executions/:id/deliveries/:deliveryId/redeliver',
    about(
      'Redeliver an event',
      { 202: Delivery },
      { params: Type.Object({ ...ExecutionId.properties, deliveryId: Type.String({ maxLength: 64 }) }) },
    ),
    async (req, reply) => {
      const delivery = await redeliver(deps, req.actor, req.params.id, req.params.deliveryId);
      return reply.code(202).send(delivery);
    },
  );
  app.post(
    '/api/v1/webhooks/test',
    {
      ...about('Test a webhook', { 200: WebhookTestAnswer }, { body: RunBody.properties.webhook }),
      preValidation: (req, _reply, done) => done(webhookFault(deps, req.body)),
    },
    (req, reply) => testWebhook(deps, req.actor, req.body, reply.closeSignal()),
  );
}
