// Decides which database errors mean a lost connection, and which statements may have changed something.

// Connection exceptions; server shutdown, crash or startup; too many connections; the primary has become a replica.
const CONNECTION_SQL_STATES = /^(?:08...|57P0[123]|53300|25006)$/;
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);
// The driver's own connection errors have no code. Its errors about invalid values must not match.
const DRIVER_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired)/;

/** Returns whether the connection was lost or could not be made. Other errors belong to the statement. */
export function isConnectionLoss(err: Error): boolean {
  const code = (err as { code?: unknown }).code;
  if (typeof code !== 'string') return DRIVER_MESSAGES.test(err.message);
  return CONNECTION_SQL_STATES.test(code) || SYSTEM_CODES.has(code);
}

// PostgreSQL says only after the end of a statement what it was, and to ask it before would cost every read a round trip.
// Its grammar is exact, however: a `select`, `with` or `values` writes only if it contains one of these keywords or calls
// a function that writes. A test looks up the functions that the code calls in the catalog of PostgreSQL.
const WRITING_KEYWORDS =
  /\b(?:insert|update|delete|merge|into|truncate|alter|create|drop|call|do|nextval|setval|queue_jobs|add_jobs?|add_audit_partition|drop_audit_partition|pg_notify)\b/i;

/** Returns whether the statement may change something. In case of doubt, returns true. */
export function isWrite(statement: string): boolean {
  return (
    !/^\s*(?:--[^\n]*\s+)*(?:select|with|values|show)\b/i.test(statement) || WRITING_KEYWORDS.test(statement)
  );
}
