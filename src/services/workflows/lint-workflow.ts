// Lints a graph that is not stored, the stored graph of a workflow, or one that would replace it.
import { type LintIssue, mergeFindings, type Truncation, toTruncation } from '../../graph/issues.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { TaskOf } from './graph-task.ts';
import { storedGraph } from './graph-versions.ts';
import { workOnGraph } from './graph-work.ts';
import { findMissingMedia } from './missing-media.ts';
import { openForReading, readableText } from './read-workflow.ts';

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
  return lintWithMedia(deps, requireScope(actor, 'workflows:read'), graph);
}

/** Lints the stored graph as the caller sees it, or one that would replace it. */
export async function lintWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  input: { readonly nodes?: unknown; readonly edges?: unknown },
): Promise<LintReport> {
  const user = requireScope(actor, 'workflows:read');
  const view = await openForReading(deps, actor, id);
  const stored = storedGraph(await readableText(deps, view));
  return lintWithMedia(deps, user, { ...input, stored });
}

async function lintWithMedia(
  deps: Deps,
  user: UserActor,
  { nodes, edges, ...stored }: Partial<Omit<TaskOf<'lint'>, 'kind'>>,
): Promise<LintReport> {
  const { ok, text, ...findings } = await workOnGraph<'lint'>(deps, String(user.userId), {
    kind: 'lint',
    nodes,
    edges,
    ...stored,
  });
  const allFindings = mergeFindings(findings, await findMissingMedia(deps.db, text));
  return { ok, issues: allFindings.issues, ...toTruncation(allFindings) };
}
