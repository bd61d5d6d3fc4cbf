// Shows a value that this user and someone else both changed, until the user chooses one.

import type { GraphEdge } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { applyTheirs, getValueAt } from '../../../board/conflicts.ts';
import { computeChanges } from '../../../board/edits.ts';
import type { Conflict } from '../../../board/merge.ts';
import { Banner } from '../../../kit/banner.tsx';
import { Button } from '../../../kit/button.tsx';
import { shorten } from '../../../lib/cut-text.ts';
import { type EditorContextValue, useBoard, useEditor } from '../../../session/editor-context.tsx';
import styles from './banners.module.css';
import { bannerMessages } from './messages.ts';

const conflictMessages = bannerMessages.conflict;
const MAX_CHARS = 120;

export function ConflictBanner() {
  const conflict = useBoard(({ conflicts }) => conflicts[0]);
  const count = useBoard(({ conflicts }) => conflicts.length);
  const mine = useBoard(({ board, conflicts: [first] }) => first && getValueAt(board, first.path));
  const editor = useEditor();
  if (conflict === undefined) return null;
  const { saver, store } = editor.session;
  const acceptTheirs = (): void => {
    const { board } = store.getState();
    const changes = computeChanges(board, applyTheirs(board, [conflict], saver.base.board));
    store.actions.perform(conflictMessages.edit, changes);
    store.actions.resolveConflict(conflict);
  };
  return (
    <Banner
      label={conflictMessages.title}
      details={
        <>
          <dl className={styles.values}>
            <div>
              <dt>{conflictMessages.mine}</dt>
              <dd>{formatValue(conflict, mine)}</dd>
            </div>
            <div>
              <dt>{conflictMessages.theirs}</dt>
              <dd>{formatValue(conflict, conflict.theirs)}</dd>
            </div>
          </dl>
          <div className={styles.actions}>
            <Button size="s" onClick={() => store.actions.resolveConflict(conflict)}>
              {conflictMessages.keepMine}
            </Button>
            <Button size="s" onClick={acceptTheirs}>
              {conflictMessages.acceptTheirs}
            </Button>
          </div>
        </>
      }
    >
      <p>
        <strong>{conflictMessages.title}</strong>{' '}
        {conflictMessages.where(describeItem(editor, conflict), count)}
      </p>
    </Banner>
  );
}

function describeItem({ session }: EditorContextValue, { path }: Conflict): string {
  const [list, id = '', ...rest] = path;
  if (list === 'fields') return id;
  const { board } = session.store.getState();
  const getLabel = (nodeId: string): string =>
    (findNode(board, nodeId) ?? findNode(session.saver.base.board, nodeId))?.data.label ?? nodeId;
  if (list === 'nodes') return [getLabel(id), rest.at(-1)].filter(Boolean).join(', ');
  const edge = (getValueAt(board, path) ?? getValueAt(session.saver.base.board, path)) as
    | GraphEdge
    | undefined;
  return edge === undefined ? id : conflictMessages.connection(getLabel(edge.source), getLabel(edge.target));
}

/** Formats a value. Describes a whole node or edge only as removed or kept. */
function formatValue({ path }: Conflict, value: unknown): string {
  if (value === undefined) return conflictMessages.removed;
  if (path.length === 2 && path[0] !== 'fields') return conflictMessages.kept;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shorten(text, MAX_CHARS);
}
