// Copies the workflow of an app for a visitor, if its owner allows that. Secrets are not copied.
import { redact } from '../graph/redact.ts';
import type { Graph } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { requireScope } from '../services/accounts/actor.ts';
import { copyCalls } from '../services/components/readable-components.ts';
import { copyMedia } from '../services/media/copied-media.ts';
import { dropMedia } from '../services/media/receive-file.ts';
import { commitNewWorkflow, createBlankRow } from '../services/workflows/create-workflow.ts';
import { toGraphText } from '../services/workflows/graph-versions.ts';
import { unchanged } from '../services/workflows/write-graph.ts';
import { listMediaIds, replaceMediaIds } from '../store/workflows/versions.ts';
import { openApp } from './open-app.ts';
import type { VisitorRequest } from './visitor.ts';

/** Returns the id of the copy in the visitor's personal workspace. Throws 401, 403, 404. */
export async function duplicateApp(
  deps: RunDeps,
  slug: string,
  request: VisitorRequest,
  signal: AbortSignal,
): Promise<string> {
  const user = requireScope(request.actor, 'workflows:write');
  const { settings, workflow, version } = await openApp(deps, slug, request);
  if (!settings.allowsDuplicate || version === undefined)
    throw new AppError('forbidden', 'The owner of this app does not allow copies of its workflow.');
  const redacted = redact(version.graph) as Graph;
  const { text, warnings } = await copyCalls(deps, user, { text: toGraphText(redacted), graph: redacted });
  const media = await copyMedia(deps, user, { ids: listMediaIds(text), from: workflow }, signal);
  try {
    const created = await commitNewWorkflow(deps, user, {
      fields: { ...createBlankRow(settings.title), description: settings.description },
      media: media.rows,
      write: unchanged(replaceMediaIds(text, media.copies)),
      warnings: [...warnings, ...media.warnings],
    });
    return created.id;
  } catch (err) {
    await dropMedia(deps, media.rows);
    throw err;
  }
}
