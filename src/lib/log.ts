// Creates the service's logger, which writes one JSON line per event.
import { pino } from 'pino';
import { currentScope } from './span.ts';

export type { Logger } from 'pino';

/** Paths at which keys, secrets and authorization headers are redacted. */
const REDACTED = ['req.headers.authorization', 'req.headers.cookie', '*.secret', '*.apiKey'];

/** Adds the ids of the current request or run to a line; the line's own fields win. */
function mixin(): object {
  const scope = currentScope();
  if (scope === undefined) return {};
  const { span, ...ids } = scope;
  return span === undefined ? ids : { ...ids, traceId: span.traceId, spanId: span.spanId };
}

export function createLogger(level: string): import('pino').Logger {
  return pino({ level, redact: REDACTED, base: null, mixin, timestamp: pino.stdTimeFunctions.isoTime });
}
