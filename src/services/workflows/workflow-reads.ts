// Batches concurrent reads of workflows into one statement.
import { createBatcher } from '../../lib/batch.ts';
import type { Db } from '../../store/db.ts';
import type { ReadWorkflowRow, WorkflowReading } from '../../store/workflows/workflows.ts';
import { findWorkflows } from '../../store/workflows/workflows.ts';

/** One workflow with what decides its reader's access; undefined if it does not exist. */
export type FindInBatch = (reading: WorkflowReading) => Promise<ReadWorkflowRow | undefined>;

/**
 * The statement is expensive relative to its rows, even with a plan pinned to the connection; planning it anew takes
 * four times as long as reading.
 */
export function createWorkflowReads(db: Db): FindInBatch {
  return createBatcher((readings: readonly WorkflowReading[]) => findWorkflows(db, readings), {
    maxItems: 100,
    concurrency: 4,
  });
}
