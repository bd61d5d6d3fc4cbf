// What the work under way is done for: the ids that its log lines carry, and the span whose children its spans are.
// Knows no exporter: without a tracer there is no span, and nothing here costs more than a look.
import { AsyncLocalStorage } from 'node:async_hooks';

/** undefined: left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default: internal. */
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** Default: now. */
  readonly startMs?: number;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The W3C header by which another process joins the trace. */
  readonly traceparent: string;
  /** False: the sampler left its trace out, and nothing that is set is kept. */
  readonly isRecording: boolean;
  set(attributes: Attributes): void;
  /** Marks it as failed, by a short name and never a message: those may quote what no collector should see. */
  fail(errorType: string): void;
  end(): void;
  child(name: string, options?: SpanOptions): Span;
}

export interface Tracer {
  /** Begins a trace, or goes on with the one that `parent`, a traceparent from outside, names. */
  start(name: string, options: SpanOptions & { readonly parent?: string | null | undefined }): Span;
  /** Sends what is left, for a moment at most. */
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

export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** The work as a child of the current span; where there is none, or its trace is left out, the work alone. */
export async function inSpan<T>(
  name: string,
  { isExpected = () => false, ...options }: SpanOptions & { readonly isExpected?: (err: unknown) => boolean },
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const scope = currentScope();
  if (scope?.span?.isRecording !== true) return work(undefined);
  const span = scope.span.child(name, options);
  try {
    return await inScope({ ...scope, span }, () => work(span));
  } catch (err) {
    if (!isExpected(err)) span.fail(errorType(err));
    throw err;
  } finally {
    span.end();
  }
}

/** The code of an error, where it has one, else its name. */
function errorType(err: unknown): string {
  if (!(err instanceof Error)) return 'unknown';
  return 'code' in err && typeof err.code === 'string' ? err.code : err.name;
}
