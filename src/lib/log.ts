// Creates the service's logger, which writes one JSON line per event.
import { pino } from 'pino';
import { getCurrentScope } from './span.ts';

export type { Logger } from 'pino';

/** The paths of keys, secrets and authorization headers in a line's fields. */
const REDACTED_PATHS = ['req.headers.authorization', 'req.headers.cookie', '*.secret', '*.apiKey'];

/** Returns fields that are added to each line: the ids of the current request or run. The line's own fields win. */
function mixin(): object {
  const scope = getCurrentScope();
  if (scope === undefined) return {};
  const { span, ...ids } = scope;
  return span === undefined ? ids : { ...ids, traceId: span.traceId, spanId: span.spanId };
}

export function createLogger(level: string): import('pino').Logger {
  return pino({ level, redact: REDACTED_PATHS, base: null, mixin, timestamp: pino.stdTimeFunctions.isoTime });
}
