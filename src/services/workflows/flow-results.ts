// Finds the images for the drawing of a published workflow: results of the newest run of the published version.
import type { Step } from '../../engine/types.ts';
import type { Value } from '../../graph/types.ts';
import { findNewestCompleted } from '../../store/executions.ts';
import { listBoundedSteps } from '../../store/steps.ts';
import type { Deps } from '../deps.ts';

export interface FlowResults {
  /** The id of the run. */
  readonly executionId: string;
  /** Image URLs by node id. */
  readonly images: ReadonlyMap<string, string>;
}

/** Returns undefined if no stored run of the version has completed. */
export async function findFlowResults(
  { db }: Pick<Deps, 'db'>,
  workflowId: string,
  version: number,
): Promise<FlowResults | undefined> {
  const executionId = await findNewestCompleted(db, workflowId, version);
  if (executionId === undefined) return undefined;
  const steps = (await listBoundedSteps(db, executionId)).map(({ step }) => step as Step);
  // The last state of a node counts.
  const images = steps.flatMap(({ nodeId, outputs = {} }) => {
    const image = Object.values(outputs)
      .map(findImage)
      .find(url => url !== undefined);
    return image === undefined ? [] : [[nodeId, image] as const];
  });
  return { executionId, images: new Map(images) };
}

function findImage(value: Value): string | undefined {
  if (value.type === 'LIST') return value.items.map(findImage).find(url => url !== undefined);
  return value.type === 'IMAGE' ? value.media.url : undefined;
}
