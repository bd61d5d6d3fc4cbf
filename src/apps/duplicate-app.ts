// Copies the workflow of an app, without secrets, for a visitor if the owner allows it.
import { redact } from '../graph/redact.ts';
import type { Graph } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { requireScope } from '../services/accounts/actor.ts';
import { createBlankRow } from '../services/workflows/create-workflow.ts';
import { copyGraph } from '../services/workflows/duplicate-workflow.ts';
import { toGraphText } from '../services/workflows/graph-versions.ts';
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
  const graph = { text: toGraphText(redacted), graph: redacted };
  const fields = { ...createBlankRow(settings.title), description: settings.description };
  const { id } = await copyGraph(deps, user, { fields, graph, owner: workflow }, signal);
  return id;
}
