// Finds the pictures for the drawing of a published workflow: results of the newest run of the published version.
import type { Step } from '../../engine/types.ts';
import type { Value } from '../../graph/types.ts';
import { findNewestCompleted } from '../../store/executions.ts';
import { listShownSteps } from '../../store/steps.ts';
import type { Deps } from '../deps.ts';

export interface FlowResults {
  /** The run that made them. */
  readonly executionId: string;
  /** Picture URLs by node id. */
  readonly pictures: ReadonlyMap<string, string>;
}

/** Undefined if no kept run of the version has completed. */
export async function findFlowResults(
  { db }: Pick<Deps, 'db'>,
  workflowId: string,
  version: number,
): Promise<FlowResults | undefined> {
  const executionId = await findNewestCompleted(db, workflowId, version);
  if (executionId === undefined) return undefined;
  const steps = (await listShownSteps(db, executionId)).map(({ step }) => step as Step);
  // The last state of a node counts.
  const pictures = steps.flatMap(({ nodeId, outputs = {} }) => {
    const picture = Object.values(outputs)
      .map(pictureOf)
      .find(url => url !== undefined);
    return picture === undefined ? [] : [[nodeId, picture] as const];
  });
  return { executionId, pictures: new Map(pictures) };
}

function pictureOf(value: Value): string | undefined {
  if (value.type === 'LIST') return value.items.map(pictureOf).find(url => url !== undefined);
  return value.type === 'IMAGE' ? value.media.url : undefined;
}
