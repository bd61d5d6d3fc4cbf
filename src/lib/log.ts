// The service's own log: pino, one JSON line an event.
import { pino } from 'pino';

export type { Logger } from 'pino';

/** Keys, secrets and authorization headers are cut out wherever they stand at these paths. */
const REDACTED = ['req.headers.authorization', 'req.headers.cookie', '*.secret', '*.apiKey'];

export function createLogger(level: string): import('pino').Logger {
  return pino({ level, redact: REDACTED, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
