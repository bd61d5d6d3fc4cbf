// Renders the versions with author, time and changes, and buttons to compare a version with the board and to restore it.

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { VersionListItem } from '../../../../sdk/src/schemas.ts';
import { compareBoards, summarizeChanges } from '../../../board/difference.ts';
import { replaceAll } from '../../../board/edits.ts';
import { toBoard, type WorkflowInfo } from '../../../board/remote.ts';
import { messages } from '../../../flow-messages.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Failure, showError } from '../../../kit/failure.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useHasBeenVisible } from '../../../lib/use-visibility.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import { performWithToast } from '../../../session/undo-toast.ts';
import { dialogMessages } from '../dialogs/messages.ts';
import styles from './dock.module.css';

const versionsMessages = messages.flow.versions;

export function VersionList() {
  const { session } = useEditor();
  const query = useList(`/workflows/${session.id}/versions`, { limit: 30 });
  return (
    <InfiniteList query={query} empty={null}>
      {versions => (
        <ol className={styles.rows}>
          {versions.map((version, index) => (
            <VersionRow
              key={version.version}
              version={version}
              previous={versions[index + 1]?.version ?? (query.hasNextPage ? undefined : 0)}
            />
          ))}
        </ol>
      )}
    </InfiniteList>
  );
}

interface RowProps {
  readonly version: VersionListItem;
  /** Number of the previous version. 0 for the first version, undefined if the previous version is not loaded yet. */
  readonly previous: number | undefined;
}

function VersionRow({
  version: { version, createdAt, userName, isCurrent, isPublished },
  previous,
}: RowProps) {
  const { session, view, canvas } = useEditor();
  const row = useRef<HTMLLIElement>(null);
  const hasBeenVisible = useHasBeenVisible(row);
  const board = useBoard(state => state.board);
  const withVersion = (callback: (graph: WorkflowInfo) => void): void =>
    void readVersion(session.id, version).then(callback, showError);
  const compare = (graph: WorkflowInfo): void => {
    view.setState({ diff: { version, board, difference: compareBoards(toBoard(graph), board) } });
    canvas.current?.zoomToFit();
  };
  const restore = (graph: WorkflowInfo): void => {
    const { nodes, edges } = toBoard(graph);
    performWithToast(session, {
      label: messages.flow.edits.restore,
      changes: replaceAll(session.store.getState().board, { nodes, edges }),
      text: versionsMessages.restored(version),
    });
  };
  return (
    <li ref={row} className={styles.row} data-plain>
      <div className={styles.texts}>
        <div className={styles.title}>
          <strong>{versionsMessages.version(version)}</strong>
          {isCurrent && <Badge tone="accent">{versionsMessages.current}</Badge>}
          {isPublished && <Badge tone="success">{dialogMessages.share.published}</Badge>}
        </div>
        {hasBeenVisible && previous !== undefined && <VersionChanges version={version} previous={previous} />}
        <span className={styles.muted}>
          {userName} · <RelativeTime time={createdAt} />
        </span>
      </div>
      <div className={styles.buttons}>
        <Button size="s" variant="quiet" onClick={() => withVersion(compare)}>
          {versionsMessages.compare}
        </Button>
        {!isCurrent && (
          <Button size="s" variant="quiet" onClick={() => withVersion(restore)}>
            {versionsMessages.restore}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Renders a sentence about the changes since the previous version. */
function VersionChanges({ version, previous }: { readonly version: number; readonly previous: number }) {
  const { session } = useEditor();
  const queries = [useVersion(session.id, version), useVersion(session.id, previous)];
  const failedQueries = queries.filter(({ error }) => error !== null);
  if (failedQueries[0] !== undefined) {
    const retry = (): void => {
      for (const query of failedQueries) void query.refetch();
    };
    return <Failure error={failedQueries[0].error} onRetry={retry} />;
  }
  const [board, previousBoard] = queries.map(({ data }) => data);
  if (board === undefined || (previous > 0 && previousBoard === undefined)) return <p>…</p>;
  if (previousBoard === undefined) return <p>{versionsMessages.created(board.nodes.length)}</p>;
  return <p>{versionsMessages.changes(summarizeChanges(previousBoard, board, session.catalog))}</p>;
}

const readVersion = (id: string, version: number): Promise<WorkflowInfo> =>
  api.get<WorkflowInfo>(`/workflows/${id}/versions/${version}`);

/** Queries the board of a version. Version 0 is before the first version and has no board. */
const useVersion = (id: string, version: number) =>
  useQuery({
    queryKey: ['/workflows', id, 'versions', version],
    queryFn: () => readVersion(id, version),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: version > 0,
    select: toBoard,
  });
