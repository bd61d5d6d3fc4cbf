// Whether the process lives, whether it can work, and its measurements.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../../services/deps.ts';
import { checkReadiness } from '../../services/readiness.ts';
import { Answer, Plain } from '../../services/workflows/workflow.schema.ts';
import type { App } from '../app.ts';
import type { Metrics } from '../observation/metrics.ts';

const tags = ['Operation'];
const Health = Answer(Type.Record(Type.String(), Type.String(), { description: 'Each part: ok' }));

export function registerHealth(app: App, deps: Deps, metrics: Metrics): void {
  const config = { limit: 'none' } as const;
  app.get(
    '/healthz',
    {
      config,
      schema: { tags, summary: 'The process is up', response: { 200: Health } },
    },
    () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      config,
      schema: {
        tags,
        summary: 'Database, storage and queue answer',
        description: 'A replica that is left out is named, and does not make the answer 503.',
        response: { 200: Health },
      },
    },
    async () => {
      const { isReady, parts } = await checkReadiness(deps);
      if (isReady) return { status: 'ok', ...parts };
      const broken = Object.entries(parts).filter(([, state]) => state !== 'ok');
      throw new AppError('unavailable', `Not ready: ${broken.map(([part]) => part).join(', ')}.`, {
        details: parts,
        headers: { 'retry-after': '1' },
      });
    },
  );
  app.get(
    '/metrics',
    {
      config,
      schema: {
        tags,
        summary: 'Prometheus metrics',
        response: { 200: Plain('text/plain', 'application/openmetrics-text') },
      },
    },
    async (req, reply) => {
      // Exemplars are of OpenMetrics alone; Prometheus asks for it where it stores them.
      const wantsOpenMetrics = req.headers.accept?.includes('application/openmetrics-text') === true;
      const { contentType, text } = await metrics.render(wantsOpenMetrics ? 'openmetrics' : 'prometheus');
      reply.type(contentType).serializer(String);
      return text;
    },
  );
}
