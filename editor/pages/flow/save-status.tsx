// Renders whether the board is saved.

import type { SaveState } from '../../board/saver.ts';
import { messages } from '../../flow-messages.ts';
import { useBoard, useEditor } from '../../runs/editor-context.tsx';
import styles from './toolbar.module.css';

const saveMessages = messages.flow.save;

export function SaveStatus() {
  const save = useBoard(state => state.save);
  const { session } = useEditor();
  const { canvas } = useEditor();
  const wrong = save.kind === 'refused' ? save.error.issues?.[0]?.nodeId : undefined;
  return (
    <>
      <span
        role="status"
        aria-label={saveMessages.label}
        className={styles.save}
        data-state={save.kind}
        title={sentence(save)}
      >
        {sentence(save)}
      </span>
      {wrong !== undefined && (
        <button
          type="button"
          className={styles.issue}
          onClick={() => {
            session.store.actions.select([wrong]);
            canvas.current?.focusNode(wrong);
          }}
        >
          {saveMessages.showIssue}
        </button>
      )}
    </>
  );
}

function sentence(save: SaveState): string {
  return save.kind === 'refused' ? saveMessages.refused(save.error.message) : saveMessages[save.kind];
}
