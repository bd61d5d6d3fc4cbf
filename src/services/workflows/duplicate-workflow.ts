// Duplicates a workflow within the service. Secrets are not copied.
import { listMediaIds, replaceMediaIds } from '../../store/workflows/versions.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { copyCalls } from '../components/readable-components.ts';
import type { Deps } from '../deps.ts';
import { copyMedia } from '../media/copied-media.ts';
import { dropMedia } from '../media/receive-file.ts';
import { type CreatedWorkflow, commitNewWorkflow, createBlankRow } from './create-workflow.ts';
import { parseStoredGraph } from './graph-versions.ts';
import { readGraphText } from './read-workflow.ts';
import type { DuplicateBody } from './workflow.schema.ts';
import { unchanged } from './write-graph.ts';

const MAX_NAME = 200;

/**
 * Creates a personal copy, private and unpublished; from another user's workflow only what readers see. Files in its
 * graph that the user cannot use are copied to the user. Throws 403, 404.
 */
export async function duplicateWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  { body, signal }: { readonly body: DuplicateBody; readonly signal: AbortSignal },
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const { workflow, role } = authorize(user, 'duplicate', await findWorkflow(deps.db, id, user.userId));
  const read = await readGraphText(deps, { workflow, role, actor: user });
  const { text, warnings } = await copyCalls(deps, user, parseStoredGraph(read));
  const fields = {
    ...createBlankRow(body?.name ?? copyName(workflow.name)),
    description: workflow.description,
    tags: workflow.tags,
    folderId: body?.folderId ?? null,
  };
  const media = await copyMedia(deps, user, { ids: listMediaIds(text), from: workflow }, signal);
  try {
    return await commitNewWorkflow(deps, user, {
      fields,
      media: media.rows,
      write: unchanged(replaceMediaIds(text, media.copies)),
      warnings: [...warnings, ...media.warnings],
    });
  } catch (err) {
    await dropMedia(deps, media.rows);
    throw err;
  }
}

function copyName(name: string): string {
  const suffix = ' (copy)';
  return `${name.slice(0, MAX_NAME - suffix.length).toWellFormed()}${suffix}`;
}
