// Shows a value that this user and someone else both changed, until the user chooses one.
import type { Json } from '../../../src/graph/types.ts';
import type { Field } from '../../board/board.ts';
import { findNode } from '../../board/board.ts';
import { replaceNodes, setConfig, setField } from '../../board/edits.ts';
import type { Conflict } from '../../board/merge.ts';
import { messages } from '../../flow-messages.ts';
import { Button } from '../../kit/button.tsx';
import { type EditorContextValue, useBoard, useEditor } from '../../runs/editor-context.tsx';
import styles from './notice.module.css';

const conflictMessages = messages.flow.conflict;
const MAX_CHARS = 120;

export function ConflictNotice() {
  const conflict = useBoard(({ conflicts }) => conflicts[0]);
  const count = useBoard(({ conflicts }) => conflicts.length);
  const editor = useEditor();
  if (conflict === undefined) return null;
  const { actions } = editor.session.store;
  const canApply = getTheirChanges(editor, conflict) !== undefined;
  const acceptTheirs = (): void => {
    const changes = getTheirChanges(editor, conflict);
    if (changes !== undefined) actions.perform(conflictMessages.edit, changes);
    actions.resolveConflict(conflict);
  };
  return (
    <section className={styles.notice} aria-label={conflictMessages.title}>
      <p>
        <strong>{conflictMessages.title}</strong>{' '}
        {conflictMessages.where(describeItem(editor, conflict), count)}
      </p>
      <dl className={styles.both}>
        <div>
          <dt>{conflictMessages.mine}</dt>
          <dd>{shorten(conflict.mine)}</dd>
        </div>
        <div>
          <dt>{conflictMessages.theirs}</dt>
          <dd>{shorten(conflict.theirs)}</dd>
        </div>
      </dl>
      <div className={styles.actions}>
        <Button size="s" onClick={() => actions.resolveConflict(conflict)}>
          {conflictMessages.keepMine}
        </Button>
        {canApply && (
          <Button size="s" onClick={acceptTheirs}>
            {conflictMessages.acceptTheirs}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Returns the changes that apply the other user's value, or undefined if the whole item is in conflict. */
function getTheirChanges({ session }: EditorContextValue, { path, theirs }: Conflict) {
  const { board } = session.store.getState();
  const [list, id = '', ...keys] = path;
  if (list === 'fields') return setField(board, id as Field, theirs as Json);
  if (list !== 'nodes' || findNode(board, id) === undefined) return undefined;
  if (keys[0] === 'position')
    return replaceNodes(board, [id], node => ({ ...node, position: theirs as typeof node.position }));
  if (keys[0] !== 'data') return undefined;
  if (keys[1] === 'config' && keys[2] !== undefined)
    return setConfig(board, session.catalog, id, { [keys[2]]: theirs as Json | undefined });
  const key = keys[1];
  if (key === undefined || keys.length > 2) return undefined;
  return replaceNodes(board, [id], node => ({ ...node, data: { ...node.data, [key]: theirs } }));
}

function describeItem({ session }: EditorContextValue, { path }: Conflict): string {
  const [list, id = '', ...keys] = path;
  if (list === 'fields') return id;
  const label = findNode(session.store.getState().board, id)?.data.label ?? id;
  return [label, keys.at(-1)].filter(Boolean).join(', ');
}

function shorten(value: unknown): string {
  if (value === undefined) return conflictMessages.gone;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
