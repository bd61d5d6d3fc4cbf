// Registers the routes for health, readiness and metrics.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../../services/deps.ts';
import { checkReadiness } from '../../services/readiness.ts';
import { Plain } from '../../services/schema.ts';
import type { Server } from '../deps.ts';
import type { Metrics } from '../observation/metrics.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Health and metrics');
const Health = Type.Record(Type.String(), Type.String(), {
  description: 'The state of each part; `ok` if it works',
});

export function registerHealth(server: Server, deps: Deps, metrics: Metrics): void {
  server.get(
    '/healthz',
    operation('getHealth', 'public', {
      summary: 'Check that the process is running',
      description: 'Returns 200 while the process is running. Intended for process supervisors.',
      limit: 'none',
      response: { 200: Health },
    }),
    () => ({ status: 'ok' }),
  );
  server.get(
    '/readyz',
    operation('getReadiness', 'public', {
      summary: 'Check that the service is ready',
      description:
        'Returns 200 while the database, the storage and the queue respond, the disk of DATA_DIR has space, and the secrets key is that of the database, otherwise 503. Intended for load balancers.',
      limit: 'none',
      response: { 200: Health },
    }),
    async () => {
      const { isReady, parts } = await checkReadiness(deps);
      if (isReady) return { status: 'ok', ...parts };
      const failingParts = Object.entries(parts).filter(([, state]) => state !== 'ok');
      throw new AppError('unavailable', `Not ready: ${failingParts.map(([part]) => part).join(', ')}.`, {
        details: parts,
        headers: { 'retry-after': '1' },
      });
    },
  );
  server.get(
    '/metrics',
    operation('getMetrics', 'public', {
      summary: 'Read Prometheus metrics',
      description: 'Returns metrics in the Prometheus text format.',
      limit: 'none',
      response: { 200: Plain('text/plain', 'application/openmetrics-text') },
    }),
    async (req, reply) => {
      // Only OpenMetrics has exemplars. Prometheus accepts it if it stores them.
      const wantsOpenMetrics = req.headers.accept?.includes('application/openmetrics-text') === true;
      const { contentType, text } = await metrics.render(wantsOpenMetrics ? 'openmetrics' : 'prometheus');
      reply.type(contentType).serializer(String);
      return text;
    },
  );
}
