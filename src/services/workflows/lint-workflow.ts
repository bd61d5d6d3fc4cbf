// Lints a graph that is not stored, the stored graph of a workflow, or a graph that would replace the stored one.
import { type LintIssue, mergeIssues, type Truncation, toTruncation } from '../../graph/issues.ts';
import { getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { loadPolicy } from '../accounts/team-policy.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { findAssigneeIssues } from './assignee-warnings.ts';
import type { TaskOf } from './graph-task.ts';
import { parseStoredGraph } from './graph-versions.ts';
import { performLint } from './graph-work.ts';
import { findMissingMedia } from './missing-media.ts';
import { getViewForReading, getVisibleVersion, readGraphText } from './read-workflow.ts';
import { type CredentialOwner, findMissingOnServers, removeSupplied } from './supplied-warnings.ts';

export interface LintReport extends Truncation {
  /** Whether the graph has no errors and can be saved. */
  readonly ok: boolean;
  readonly issues: readonly LintIssue[];
}

/** Lints a graph that is not stored. */
export async function lintGraphBody(
  deps: Deps,
  actor: Actor,
  graph: { readonly nodes: unknown; readonly edges: unknown },
): Promise<LintReport> {
  const user = requireScope(actor, 'workflows:read');
  const workspace = getWorkspaceId(await getActiveWorkspace(deps.db, user));
  return lintWithMedia(deps, user, graph, { workspace, workflowId: null, version: 0 });
}

/** Lints the stored graph as the caller sees it, or the graph that would replace it. */
export async function lintWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  input: { readonly nodes?: unknown; readonly edges?: unknown },
): Promise<LintReport> {
  const user = requireScope(actor, 'workflows:read');
  const view = await getViewForReading(deps, actor, id);
  const stored = parseStoredGraph(await readGraphText(deps, view));
  const { workflow } = view;
  const version = getVisibleVersion(view);
  const owner = { workspace: getWorkspaceId(workflow), workflowId: workflow.id, version };
  return lintWithMedia(deps, user, { ...input, stored }, owner);
}

async function lintWithMedia(
  deps: Deps,
  user: UserActor,
  { nodes, edges, ...stored }: Partial<Omit<TaskOf<'lint'>, 'kind'>>,
  owner: GraphOwner,
): Promise<LintReport> {
  const policy = await loadPolicy(deps.db, owner.workspace);
  const task = { kind: 'lint', nodes, edges, policy, ...stored } as const;
  const { workflowId, version } = owner;
  const caller = workflowId === null ? undefined : { id: workflowId, versions: [version] };
  const { ok, text, ...issueList } = await performLint(deps, user, task, caller);
  const relevantIssues = await removeSupplied(deps, deps.db, issueList, owner);
  const allIssues = mergeIssues(
    relevantIssues,
    await findMissingMedia(deps.db, text),
    await findAssigneeIssues(deps.db, deps.settings, text, owner),
    await findMissingOnServers(deps, deps.db, text, owner),
  );
  return { ok, issues: allIssues.issues, ...toTruncation(allIssues) };
}

interface GraphOwner extends CredentialOwner {
  /** The version that the reader sees. */
  readonly version: number;
}
