// Describes an accepted run to whoever started it.
import type { RunSpec } from '../../store/runs.ts';

export interface AcceptedRun {
  readonly executionId: string;
  readonly workflowId: string;
  readonly estimatedCredits: number;
  readonly createdAt: Date;
  /** Whether this repeats the first response for the idempotency key. */
  readonly replayed: boolean;
  /** The nodes that take sample results. */
  readonly warnings: readonly string[];
}

/** `replayed` is false for the first response. */
export const toAcceptedRun = (
  { id, workflow_id, created_at }: Pick<RunSpec, 'id' | 'workflow_id' | 'created_at'>,
  estimatedCredits: number,
  replayed = false,
): AcceptedRun => ({
  executionId: id,
  workflowId: workflow_id,
  estimatedCredits,
  createdAt: created_at,
  replayed,
  warnings: [],
});
