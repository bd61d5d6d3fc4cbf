// A lint check that needs a query: media in a graph that no longer exist.
import { type LintIssue, MAX_ISSUES, pointer } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import type { Tx } from '../../store/db.ts';
import { findKnownMedia } from '../../store/media/media.ts';
import { mediaIdsIn } from '../../store/workflows/versions.ts';
import type { GraphWrite } from './write-graph.ts';

/** Adds a warning to the write for each node with missing media. */
export async function withMediaWarnings(tx: Tx, write: GraphWrite): Promise<GraphWrite> {
  return { ...write, issues: [...write.issues, ...(await findMissingMedia(tx, write.text))] };
}

/** A warning for each node whose config names missing media; `text` is '"nodes":[…],"edges":[…]'. */
export async function findMissingMedia(tx: Tx, text: string): Promise<readonly LintIssue[]> {
  const named = mediaIdsIn(text);
  if (named.length === 0) return [];
  const known = await findKnownMedia(tx, named);
  const missing = named.filter(id => !known.has(id));
  if (missing.length === 0) return [];
  const { nodes } = JSON.parse(`{${text}}`) as Graph;
  return nodes.flatMap((node, index) => warningsOf(node, index, missing)).slice(0, MAX_ISSUES);
}

function warningsOf(
  { id, data }: Graph['nodes'][number],
  index: number,
  missing: readonly string[],
): LintIssue[] {
  const config = JSON.stringify(data?.config ?? {});
  return missing
    .filter(mediaId => config.includes(mediaId))
    .map(mediaId => ({
      severity: 'warning',
      code: 'missing_media',
      nodeId: id,
      path: pointer('nodes', index, 'data', 'config'),
      message: `There is no media ${mediaId}: upload it again, or choose another.`,
    }));
}
