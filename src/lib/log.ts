// The service's own log: pino, one JSON line an event.
import { pino } from 'pino';
import { currentScope } from './span.ts';

export type { Logger } from 'pino';

/** Keys, secrets and authorization headers are cut out wherever they stand at these paths. */
const REDACTED = ['req.headers.authorization', 'req.headers.cookie', '*.secret', '*.apiKey'];

/** Of the request or run that a line is about; what the line itself says wins. */
function mixin(): object {
  const scope = currentScope();
  if (scope === undefined) return {};
  const { span, ...ids } = scope;
  return span === undefined ? ids : { ...ids, traceId: span.traceId, spanId: span.spanId };
}

export function createLogger(level: string): import('pino').Logger {
  return pino({ level, redact: REDACTED, base: null, mixin, timestamp: pino.stdTimeFunctions.isoTime });
}
