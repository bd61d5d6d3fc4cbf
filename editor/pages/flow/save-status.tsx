// Renders the save status of the board.

import type { SaveState } from '../../board/saver.ts';
import { messages } from '../../flow-messages.ts';
import { useBoard, useEditor } from '../../runs/editor-context.tsx';
import styles from './toolbar.module.css';

const saveMessages = messages.flow.save;

export function SaveStatus() {
  const save = useBoard(state => state.save);
  const { session } = useEditor();
  const { canvas } = useEditor();
  const invalidNodeId = save.kind === 'refused' ? save.error.issues?.[0]?.nodeId : undefined;
  return (
    <>
      <span
        role="status"
        aria-label={saveMessages.label}
        className={styles.save}
        data-state={save.kind}
        title={toLabel(save)}
      >
        {toLabel(save)}
      </span>
      {invalidNodeId !== undefined && (
        <button
          type="button"
          className={styles.issue}
          onClick={() => {
            session.store.actions.select([invalidNodeId]);
            canvas.current?.focusNode(invalidNodeId);
          }}
        >
          {saveMessages.showIssue}
        </button>
      )}
    </>
  );
}

function toLabel(save: SaveState): string {
  if (save.kind === 'refused') return saveMessages.refused(save.error.message);
  return save.kind === 'conflicts' ? saveMessages.conflicts(save.count) : saveMessages[save.kind];
}
