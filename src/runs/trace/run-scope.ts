// Traces the execution of a run by a worker, and adds the run's id to log lines.
import { getCurrentScope, inScope } from '../../lib/span.ts';
import type { RunRow } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';

/**
 * Runs `work` in the scope of the run: log lines contain its id, and spans join the trace of the request that started
 * it.
 */
export async function inRunScope(
  { tracer }: Pick<RunDeps, 'tracer'>,
  run: RunRow,
  work: () => Promise<void>,
): Promise<void> {
  const span = tracer?.start('run', {
    kind: 'consumer',
    parent: run.traceparent,
    attributes: {
      'graphwright.execution.id': run.id,
      'graphwright.workflow.id': run.workflow_id,
      'graphwright.workflow.version': run.workflow_version,
      'graphwright.run.lease': run.lease,
      'graphwright.run.nodes': run.nodes_total,
    },
  });
  try {
    await inScope({ executionId: run.id, span }, work);
  } catch (err) {
    span?.fail('released');
    throw err;
  } finally {
    span?.end();
  }
}

/** Records how the execution ended: the status of the run, or what it waits for. */
export function traceOutcome(outcome: string): void {
  const span = getCurrentScope()?.span;
  span?.set({ 'graphwright.run.outcome': outcome });
  if (outcome === 'FAILED' || outcome === 'TIMEOUT') span?.fail(outcome);
}
