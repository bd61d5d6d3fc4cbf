// Whether the process lives, whether it can work, and its measurements.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../../services/deps.ts';
import { checkReadiness } from '../../services/readiness.ts';
import { Plain } from '../../services/schema.ts';
import type { App } from '../app.ts';
import type { Metrics } from '../observation/metrics.ts';
import { documented } from '../route.ts';

const about = documented('Operation');
const Health = Type.Record(Type.String(), Type.String(), { description: 'Each part: ok' });

export function registerHealth(app: App, deps: Deps, metrics: Metrics): void {
  const config = { limit: 'none' } as const;
  app.get('/healthz', { config, ...about('The process is up', { 200: Health }) }, () => ({ status: 'ok' }));
  app.get(
    '/readyz',
    {
      config,
      ...about('Database, storage and queue answer', { 200: Health }),
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
    { config, ...about('Prometheus metrics', { 200: Plain('text/plain', 'application/openmetrics-text') }) },
    async (req, reply) => {
      // Exemplars are of OpenMetrics alone; Prometheus asks for it where it stores them.
      const wantsOpenMetrics = req.headers.accept?.includes('application/openmetrics-text') === true;
      const { contentType, text } = await metrics.render(wantsOpenMetrics ? 'openmetrics' : 'prometheus');
      reply.type(contentType).serializer(String);
      return text;
    },
  );
}
