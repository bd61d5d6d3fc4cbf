// The lint over HTTP: of a graph that is not stored, of the stored one, or of the one that would take its place.
import { type Inspection, inspectGraph } from '../../graph/inspect.ts';
import { type LintIssue, MAX_ISSUES } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { graphText } from './graph-versions.ts';
import { findMissingMedia } from './missing-media.ts';
import { openForReading, readableText } from './read-workflow.ts';

export interface LintReport {
  /** Whether it could be written. */
  readonly ok: boolean;
  readonly issues: readonly LintIssue[];
}

/** What the lint says of a graph that is not stored. */
export async function lintGraphBody(
  deps: Deps,
  actor: Actor,
  graph: { readonly nodes: unknown; readonly edges: unknown },
): Promise<LintReport> {
  requireScope(actor, 'workflows:read');
  return lintWithMedia(deps, inspectGraph(deps.catalog, graph.nodes, graph.edges));
}

/** What the lint says of the stored graph as the caller sees it, or of the one that would take its place. */
export async function lintWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  sent: { readonly nodes?: unknown; readonly edges?: unknown },
): Promise<LintReport> {
  requireScope(actor, 'workflows:read');
  const view = await openForReading(deps, actor, id);
  const graph = JSON.parse(`{${await readableText(deps, view)}}`) as Graph;
  const wanted = { ...graph, ...sent };
  return lintWithMedia(deps, inspectGraph(deps.catalog, wanted.nodes, wanted.edges, graph));
}

async function lintWithMedia(deps: Deps, { ok, issues, graph }: Inspection): Promise<LintReport> {
  const missing = await findMissingMedia(deps.db, graphText(graph));
  return { ok, issues: [...issues, ...missing].slice(0, MAX_ISSUES) };
}
