// Finds media that a graph uses and that do not exist, or whose upload is not complete.
import {
  type IssueList,
  type LintIssue,
  MAX_ISSUES,
  mergeIssues,
  NO_ISSUES,
  toJsonPointer,
} from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import type { Tx } from '../../store/db.ts';
import { listExistingMediaIds } from '../../store/media/media.ts';
import { listOpenUploads } from '../../store/media/uploads.ts';
import { findMediaIds } from '../../store/workflows/versions.ts';
import { describeIncompleteUpload } from '../media/stored-media.ts';
import type { GraphWrite } from './write-graph.ts';

/** Adds a warning to the result of a write for each node with missing media. */
export async function withMediaWarnings(tx: Tx, write: GraphWrite): Promise<GraphWrite> {
  return { ...write, issueList: mergeIssues(write.issueList, await findMissingMedia(tx, write.text)) };
}

/** Returns a warning for each node with missing media. `text` is the graph: '"nodes":[…],"edges":[…]'. */
export async function findMissingMedia(tx: Tx, text: string): Promise<IssueList> {
  const mediaIds = findMediaIds(text);
  if (mediaIds.length === 0) return NO_ISSUES;
  const knownIds = await listExistingMediaIds(tx, mediaIds);
  if (mediaIds.every(id => knownIds.has(id))) return NO_ISSUES;
  const openIds = await listOpenUploads(
    tx,
    mediaIds.filter(id => !knownIds.has(id)),
  );
  const { nodes } = JSON.parse(`{${text}}`) as Graph;
  const issues = nodes.flatMap((node, index) => listWarnings(node, index, knownIds, openIds));
  return { issues: issues.slice(0, MAX_ISSUES), total: issues.length };
}

function listWarnings(
  { id, data }: Graph['nodes'][number],
  index: number,
  knownIds: ReadonlySet<string>,
  openIds: ReadonlySet<string>,
): LintIssue[] {
  return findMediaIds(JSON.stringify(data?.config ?? {}))
    .filter(mediaId => !knownIds.has(mediaId))
    .map(mediaId => ({
      severity: 'warning',
      code: 'missing_media',
      nodeId: id,
      path: toJsonPointer('nodes', index, 'data', 'config'),
      message: openIds.has(mediaId)
        ? describeIncompleteUpload(mediaId)
        : `Media ${mediaId} does not exist. Upload it again, or choose another file.`,
    }));
}
