// Reads a workflow for display on its own page or in a content page.
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { canDo, findRole } from '../accounts/access.ts';
import { type Actor, ANONYMOUS } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type FlowResults, findFlowResults } from './flow-results.ts';
import { toRevision, type WorkflowView } from './present-workflow.ts';
import { getViewForReading, getVisibleVersion, readGraphText } from './read-workflow.ts';

export interface Flow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Identifies the drawing: changes whenever it may look different. */
  readonly key: string;
  readonly visibility: 'public' | 'private';
  /** Whether the reader may edit the workflow. */
  readonly canEdit: boolean;
  /** Ids of the input nodes that the publication exposes; null: all. */
  readonly exposedInputs: readonly string[] | null;
  /** Reads the graph, redacted unless the reader may edit. */
  graph(): Promise<Graph>;
  /** Reads the results of the newest run, or undefined if the publisher does not display them. */
  results(): Promise<FlowResults | undefined>;
}

/** Reads the workflow for its own page. Throws 401, 403, 404. */
export async function readFlow(deps: Deps, actor: Actor, id: string): Promise<Flow> {
  const view = await getViewForReading(deps, actor, id);
  if (!canDo(view.role, 'edit')) deps.views.count(view.workflow.id);
  return toFlow(deps, view);
}

/** Returns the workflow for a public page, or undefined if it is private or deleted. */
export async function findPublicFlow(deps: Deps, id: string): Promise<Flow | undefined> {
  try {
    return toFlow(deps, await getViewForReading(deps, ANONYMOUS, id));
  } catch (err) {
    if (err instanceof AppError && (err.code === 'not_found' || err.code === 'unauthorized'))
      return undefined;
    throw err;
  }
}

function toFlow(deps: Deps, view: WorkflowView): Flow {
  const { id, name, description, is_published: isPublished, publish_settings: settings } = view.workflow;
  return {
    id,
    name,
    description,
    key: `${id}.${getVisibleVersion(view)}.${toRevision(view.workflow)}.${view.role}`,
    visibility: findRole(ANONYMOUS, view.workflow) === undefined ? 'private' : 'public',
    canEdit: canDo(view.role, 'edit'),
    exposedInputs: settings?.exposedInputs ?? null,
    results: async () =>
      isPublished && settings?.showResults === true
        ? findFlowResults(deps, id, getVisibleVersion(view))
        : undefined,
    graph: async () => JSON.parse(`{${await readGraphText(deps, view)}}`) as Graph,
  };
}
