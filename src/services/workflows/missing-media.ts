// The lint that needs to ask: media which a graph names and which are not there, or not any more.
import {
  type Findings,
  type LintIssue,
  MAX_ISSUES,
  mergeFindings,
  NO_FINDINGS,
  pointer,
} from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import type { Tx } from '../../store/db.ts';
import { findKnownMedia } from '../../store/media/media.ts';
import { findOpenUploads } from '../../store/media/uploads.ts';
import { mediaIdsIn } from '../../store/workflows/versions.ts';
import { incompleteUpload } from '../media/stored-media.ts';
import type { GraphWrite } from './write-graph.ts';

/** Adds a warning to the write for each node with missing media. */
export async function withMediaWarnings(tx: Tx, write: GraphWrite): Promise<GraphWrite> {
  return { ...write, findings: mergeFindings(write.findings, await findMissingMedia(tx, write.text)) };
}

/** A warning for each node whose config names one; `text` is '"nodes":[…],"edges":[…]'. */
export async function findMissingMedia(tx: Tx, text: string): Promise<Findings> {
  const named = mediaIdsIn(text);
  if (named.length === 0) return NO_FINDINGS;
  const known = await findKnownMedia(tx, named);
  if (named.every(id => known.has(id))) return NO_FINDINGS;
  const open = await findOpenUploads(
    tx,
    named.filter(id => !known.has(id)),
  );
  const { nodes } = JSON.parse(`{${text}}`) as Graph;
  const issues = nodes.flatMap((node, index) => warningsOf(node, index, known, open));
  return { issues: issues.slice(0, MAX_ISSUES), total: issues.length };
}

function warningsOf(
  { id, data }: Graph['nodes'][number],
  index: number,
  known: ReadonlySet<string>,
  open: ReadonlySet<string>,
): LintIssue[] {
  return mediaIdsIn(JSON.stringify(data?.config ?? {}))
    .filter(mediaId => !known.has(mediaId))
    .map(mediaId => ({
      severity: 'warning',
      code: 'missing_media',
      nodeId: id,
      path: pointer('nodes', index, 'data', 'config'),
      message: open.has(mediaId)
        ? incompleteUpload(mediaId)
        : `There is no media ${mediaId}: upload it again, or choose another.`,
    }));
}
