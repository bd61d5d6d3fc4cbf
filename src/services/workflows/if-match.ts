// If-Match on writes of a workflow: refused where it was written since the caller read it.
import { AppError } from '../../lib/errors.ts';
import type { WorkflowRow } from '../../store/workflows/workflows.ts';
import { revisionOf } from './present-workflow.ts';

/**
 * Throws 409 `stale_write`. Compared is the part of our ETags that changes with each write: views, heartbeats and
 * posters move by themselves and must not refuse anybody's write.
 */
export function checkIfMatch(workflow: WorkflowRow, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = `"${revisionOf(workflow)}.`;
  if (ifMatch.split(',').some(etag => etag.trim().startsWith(current))) return;
  throw new AppError(
    'stale_write',
    'The workflow changed after you read it (If-Match): read it again and reapply your changes.',
  );
}
