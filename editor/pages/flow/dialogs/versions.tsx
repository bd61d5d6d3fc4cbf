// Renders the versions of the workflow: compare with the board, or restore as an edit that can be undone.
import { useQuery } from '@tanstack/react-query';
import { compareBoards } from '../../../board/difference.ts';
import { replaceAll } from '../../../board/edits.ts';
import { toBoard, type WorkflowInfo } from '../../../board/remote.ts';
import { messages } from '../../../flow-messages.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure, toErrorMessage } from '../../../kit/failure.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { Ago } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { showToast } from '../../../lib/toasts.ts';
import { useBoard, useEditor } from '../../../runs/editor-context.tsx';
import styles from './dialogs.module.css';

const versionsMessages = messages.flow.versions;

interface Version {
  readonly version: number;
  readonly createdAt: string;
  readonly isCurrent: boolean;
  readonly isPublished: boolean;
}

export function VersionsDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useEditor();
  const path = `/workflows/${session.id}/versions`;
  const { data, error, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => api.get<{ data: readonly Version[] }>(path, { query: { limit: 100 }, signal }),
    staleTime: 0,
  });
  return (
    <Dialog title={versionsMessages.title} size="l" onClose={onClose}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      <ol className={styles.rows}>
        {data?.data.map(version => (
          <VersionRow key={version.version} version={version} path={path} onDone={onClose} />
        ))}
      </ol>
    </Dialog>
  );
}

interface RowProps {
  readonly version: Version;
  readonly path: string;
  readonly onDone: () => void;
}

function VersionRow({ version: { version, createdAt, isCurrent, isPublished }, path, onDone }: RowProps) {
  const { session, view, canvas } = useEditor();
  const { store } = session;
  const board = useBoard(state => state.board);
  const read = (): Promise<WorkflowInfo> => api.get<WorkflowInfo>(`${path}/${version}`);
  const attempt = (act: (graph: WorkflowInfo) => void): void =>
    void read().then(act, (thrown: unknown) => showToast(toErrorMessage(thrown), { tone: 'failed' }));
  const compare = (graph: WorkflowInfo): void => {
    view.setState({ diff: { version, board, difference: compareBoards(toBoard(graph), board) } });
    canvas.current?.fit();
    onDone();
  };
  const restore = (graph: WorkflowInfo): void => {
    const { nodes, edges } = toBoard(graph);
    store.actions.perform(messages.flow.edits.restore, replaceAll(store.getState().board, { nodes, edges }));
    showToast(versionsMessages.restored(version), {
      action: { label: messages.common.undo, run: () => store.actions.undo() },
    });
    onDone();
  };
  return (
    <li className={styles.row}>
      <span className={styles.grow}>
        <strong>{versionsMessages.version(version)}</strong>
        <span className={styles.soft}>
          <Ago time={createdAt} />
        </span>
      </span>
      {isCurrent && <Badge tone="accent">{versionsMessages.current}</Badge>}
      {isPublished && <Badge tone="success">{messages.flow.share.published}</Badge>}
      <Button size="s" variant="quiet" onClick={() => attempt(compare)}>
        {versionsMessages.compare}
      </Button>
      {!isCurrent && (
        <Button size="s" onClick={() => attempt(restore)}>
          {versionsMessages.restore}
        </Button>
      )}
    </li>
  );
}
