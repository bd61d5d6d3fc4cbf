// Tracks the context of the current work: ids for its log lines, and the parent of its trace spans.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Undefined attributes are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default: internal. */
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** Default: now. */
  readonly startMs?: number;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The value of the W3C header with which another process joins the trace. */
  readonly traceparent: string;
  /** False if the sampler dropped the trace; then attributes are ignored. */
  readonly isRecording: boolean;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed with a short name. Messages may contain confidential data. */
  fail(errorType: string): void;
  end(): void;
  child(name: string, options?: SpanOptions): Span;
}

export interface Tracer {
  /** Starts a trace, or continues the trace of `parent`, a received traceparent header. */
  start(name: string, options: SpanOptions & { readonly parent?: string | null | undefined }): Span;
  /** Sends pending spans, within a short time limit. */
  close(): Promise<void>;
}

export interface Scope {
  readonly requestId?: string;
  readonly executionId?: string;
  readonly span?: Span | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

export function inScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}

export function getCurrentScope(): Scope | undefined {
  return scopes.getStore();
}

/**
 * Runs the work in a child of the current span. Without a recorded span, only runs the work. An error for which
 * `isExpected` returns true does not mark the span as failed.
 */
export async function inSpan<T>(
  name: string,
  { isExpected = () => false, ...options }: SpanOptions & { readonly isExpected?: (err: unknown) => boolean },
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const scope = getCurrentScope();
  if (scope?.span?.isRecording !== true) return work(undefined);
  const span = scope.span.child(name, options);
  try {
    return await inScope({ ...scope, span }, () => work(span));
  } catch (err) {
    if (!isExpected(err)) span.fail(getErrorType(err));
    throw err;
  } finally {
    span.end();
  }
}

/** Returns the code of an error if it has one, else its name. */
function getErrorType(err: unknown): string {
  if (!(err instanceof Error)) return 'unknown';
  return 'code' in err && typeof err.code === 'string' ? err.code : err.name;
}
