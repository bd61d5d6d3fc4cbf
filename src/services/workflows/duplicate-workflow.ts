// Duplicates a workflow within the service. Secrets are not copied.

import { cutText } from '../../lib/cut-text.ts';
import { findMediaIds, replaceMediaIds } from '../../store/workflows/versions.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { hideUnreadableCalls } from '../components/readable-components.ts';
import type { Deps } from '../deps.ts';
import { copyMedia, type MediaToCopy } from '../media/copied-media.ts';
import {
  type CreatedWorkflow,
  commitNewWorkflow,
  createBlankRow,
  type NewWorkflowCommit,
} from './create-workflow.ts';
import { parseStoredGraph, type StoredGraph } from './graph-versions.ts';
import { readGraphText } from './read-workflow.ts';
import type { DuplicateBody } from './workflow.schema.ts';
import { reuseStoredText } from './write-graph.ts';

const MAX_NAME = 200;

/**
 * Creates a personal copy that is private and unpublished. A copy of another user's workflow contains only what readers
 * see. Copies the files in the graph that the user cannot use to the user's media. Throws 403, 404.
 */
export async function duplicateWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  { body, signal }: { readonly body: DuplicateBody; readonly signal: AbortSignal },
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const { workflow, role } = authorize(user, 'duplicate', await findWorkflow(deps.db, id, user.userId));
  const text = await readGraphText(deps, { workflow, role, actor: user });
  const fields = {
    ...createBlankRow(body.name ?? copyName(workflow.name)),
    description: workflow.description,
    tags: workflow.tags,
    folder_id: body.folderId ?? null,
  };
  return copyGraph(deps, user, { fields, graph: parseStoredGraph(text), owner: workflow }, signal);
}

interface GraphCopy {
  readonly fields: NewWorkflowCommit['fields'];
  /** The graph as the user may read it. */
  readonly graph: StoredGraph;
  readonly owner: MediaToCopy['owner'];
}

/** Creates a workflow with the graph and copies of the files in it that the user cannot use. */
export async function copyGraph(
  deps: Deps,
  user: UserActor,
  { fields, graph, owner }: GraphCopy,
  signal: AbortSignal,
): Promise<CreatedWorkflow> {
  const { text, warnings } = await hideUnreadableCalls(deps, user, graph);
  const media = await copyMedia(deps, user, { ids: findMediaIds(text), owner }, signal);
  return commitNewWorkflow(deps, user, {
    fields,
    media: media.rows,
    write: reuseStoredText(replaceMediaIds(text, media.copies)),
    warnings: [...warnings, ...media.warnings],
  });
}

function copyName(name: string): string {
  const suffix = ' (copy)';
  return `${cutText(name, MAX_NAME - suffix.length)}${suffix}`;
}
