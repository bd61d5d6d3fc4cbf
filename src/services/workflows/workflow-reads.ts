// Readings of workflows that arrive while others are under way share the next statement.
import { createBatcher } from '../../lib/batch.ts';
import type { Db } from '../../store/db.ts';
import type { ReadWorkflowRow, WorkflowReading } from '../../store/workflows/workflows.ts';
import { findWorkflows } from '../../store/workflows/workflows.ts';

/** One workflow with what decides on its reader's access; undefined where it does not exist. */
export type FindInBatch = (reading: WorkflowReading) => Promise<ReadWorkflowRow | undefined>;

/**
 * The statement costs more than the rows it finds, if its plan is pinned to the connection: planned anew each time it
 * takes four times as long as the reading.
 */
export function createWorkflowReads(db: Db): FindInBatch {
  return createBatcher((readings: readonly WorkflowReading[]) => findWorkflows(db, readings), {
    maxItems: 100,
    concurrency: 4,
  });
}
