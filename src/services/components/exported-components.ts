// Collects the components that an exported workflow calls, directly or through other components.
import { COMPONENT_CALL, listComponentCalls } from '../../graph/components/calls.ts';
import { AppError, ignoreNotFound } from '../../lib/errors.ts';
import { can, findRole, roleAllows } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { parseStoredGraph } from '../workflows/graph-versions.ts';
import type { WorkflowView } from '../workflows/present-workflow.ts';
import { findWorkflowGrouped, getVisibleVersion, readGraphText } from '../workflows/read-workflow.ts';

/** Limits for one workflow file. */
export const MAX_COMPONENTS = 200;
export const MAX_COMPONENT_BYTES = 8_000_000;

export interface ExportedComponent {
  readonly view: WorkflowView;
  readonly version: number;
  /** Whether calls of the latest version mean this one. */
  readonly isLatest: boolean;
  /** '"nodes":[…],"edges":[…]', as the reader may see it. */
  readonly text: string;
}

/**
 * Returns each called version once. Omits components that the reader may not duplicate; calls of these still refer to
 * the workflow in this service. Throws 413 `payload_too_large`.
 */
export async function collectComponents(
  deps: Deps,
  actor: Actor,
  rootText: string,
): Promise<readonly ExportedComponent[]> {
  const components = new Map<string, ExportedComponent>();
  const seen = new Set<string>();
  const pending = [rootText];
  let bytes = 0;
  for (const text of pending) {
    if (!text.includes(`"${COMPONENT_CALL}"`)) continue;
    for (const { workflowId, version } of listComponentCalls(parseStoredGraph(text).graph)) {
      const ref = `${workflowId}@${version}`;
      if (seen.has(ref)) continue;
      seen.add(ref);
      const component = await findComponent(deps, actor, workflowId, version);
      if (component === undefined) continue;
      const key = `${workflowId}@${component.version}`;
      const previous = components.get(key);
      components.set(key, { ...component, isLatest: component.isLatest || previous?.isLatest === true });
      if (previous !== undefined) continue;
      bytes += Buffer.byteLength(component.text);
      if (components.size > MAX_COMPONENTS || bytes > MAX_COMPONENT_BYTES) throw createTooLargeError();
      pending.push(component.text);
    }
  }
  return [...components.values()];
}

function createTooLargeError(): AppError {
  return new AppError(
    'payload_too_large',
    `The components of this workflow are too large for a file: at most ${MAX_COMPONENTS} with ${MAX_COMPONENT_BYTES} bytes. Export the components one by one.`,
  );
}

async function findComponent(
  deps: Deps,
  actor: Actor,
  id: string,
  requestedVersion: number | 'latest',
): Promise<ExportedComponent | undefined> {
  const userId = actor.kind === 'user' ? actor.userId : null;
  const workflow = await findWorkflowGrouped(deps, { id, userId });
  const role = workflow && findRole(actor, workflow);
  if (workflow === undefined || role === undefined || !can(actor, 'duplicate', workflow)) return undefined;
  const view = { workflow, role, actor };
  const visibleVersion = getVisibleVersion(view);
  const version = requestedVersion === 'latest' ? visibleVersion : requestedVersion;
  if (version !== visibleVersion && !roleAllows(role, 'edit')) return undefined;
  // A deleted version is omitted. Runs that call it fail as well.
  const text = await readGraphText(deps, view, version).catch(ignoreNotFound);
  return text === undefined ? undefined : { view, version, isLatest: requestedVersion === 'latest', text };
}
