// Traces the nodes of a run: a span starts with the node's first call and ends when the node settles or waits.
import { isSettled, type RunOptions, type Step } from '../../engine/types.ts';
import { getCurrentScope, inScope, type Span } from '../../lib/span.ts';

export interface NodeSpans {
  readonly wrapCall: NonNullable<RunOptions['wrapCall']>;
  record(step: Step): void;
  /** Ends the spans of nodes that are still active. */
  close(): void;
}

/** Returns undefined if the run is not traced. */
export function traceNodes(): NodeSpans | undefined {
  const scope = getCurrentScope();
  const run = scope?.span;
  if (run?.isRecording !== true) return undefined;
  const openSpans = new Map<string, Span>();
  return {
    wrapCall({ id, nodeType }, work) {
      // The items of a mapped node share one span.
      const attributes = { 'graphwright.node.id': id, 'graphwright.node.type': nodeType };
      const span = openSpans.get(id) ?? run.child(`node ${nodeType}`, { attributes });
      openSpans.set(id, span);
      return inScope({ ...scope, span }, work);
    },
    record(step) {
      const span = openSpans.get(step.nodeId);
      if (span === undefined || (!isSettled(step.status) && step.status !== 'WAITING')) return;
      openSpans.delete(step.nodeId);
      span.set({
        'graphwright.node.status': step.status,
        'graphwright.node.attempt': step.attempt,
        'graphwright.node.cached': step.cached,
        'graphwright.node.credits': step.credits,
      });
      if (step.error !== undefined) span.fail(step.error.code);
      span.end();
    },
    close() {
      for (const span of openSpans.values()) span.end();
      openSpans.clear();
    },
  };
}
