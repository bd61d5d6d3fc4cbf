// Reads a workflow for drawing: on its own page for its readers, in a content page for anyone.
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { canDo, findRole } from '../accounts/access.ts';
import { type Actor, ANONYMOUS } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type FlowResults, findFlowResults } from './flow-results.ts';
import { toRevision, type WorkflowView } from './present-workflow.ts';
import { openForReading, readableText, readableVersion } from './read-workflow.ts';

export interface Flow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Identifies the drawing: changes whenever it may look different. */
  readonly key: string;
  readonly visibility: 'public' | 'private';
  /** Whether the reader may. */
  readonly canEdit: boolean;
  /** Ids of the input nodes that the publication exposes; null: all. */
  readonly exposedInputs: readonly string[] | null;
  /** Redacted unless the reader may edit. */
  graph(): Promise<Graph>;
  /** Results of the newest run that the publisher shows; undefined if nothing is shown. */
  results(): Promise<FlowResults | undefined>;
}

/** Reads the workflow for its own page. Throws 401, 403, 404. */
export async function readFlow(deps: Deps, actor: Actor, id: string): Promise<Flow> {
  const view = await openForReading(deps, actor, id);
  if (!canDo(view.role, 'edit')) deps.views.count(view.workflow.id);
  return toFlow(deps, view);
}

/** Returns the workflow for a public page, or undefined if it is private or deleted. */
export async function findPublicFlow(deps: Deps, id: string): Promise<Flow | undefined> {
  try {
    return toFlow(deps, await openForReading(deps, ANONYMOUS, id));
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
    key: `${id}.${readableVersion(view)}.${toRevision(view.workflow)}.${view.role}`,
    visibility: findRole(ANONYMOUS, view.workflow) === undefined ? 'private' : 'public',
    canEdit: canDo(view.role, 'edit'),
    exposedInputs: settings?.exposedInputs ?? null,
    results: async () =>
      isPublished && settings?.showResults === true
        ? findFlowResults(deps, id, readableVersion(view))
        : undefined,
    graph: async () => JSON.parse(`{${await readableText(deps, view)}}`) as Graph,
  };
}
