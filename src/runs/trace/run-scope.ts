// The span of one stretch that a worker executes of a run, and the ids that its log lines carry.
import { currentScope, inScope } from '../../lib/span.ts';
import type { RunRow } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';

/** Does the work as that of the run: its log lines name it, and its spans join the trace of the request that asked for it. */
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

/** How the stretch ended: the status of the run, or what it waits for. */
export function noteOutcome(outcome: string): void {
  const span = currentScope()?.span;
  span?.set({ 'graphwright.run.outcome': outcome });
  if (outcome === 'FAILED' || outcome === 'TIMEOUT') span?.fail(outcome);
}
