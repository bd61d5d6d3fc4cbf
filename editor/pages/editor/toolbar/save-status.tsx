// Renders the save status of the board.

import { useState } from 'react';
import type { ApiError } from '../../../../sdk/src/errors.ts';
import type { SaveState } from '../../../board/saver.ts';
import { messages as componentMessages } from '../../../component-messages.ts';
import { messages } from '../../../flow-messages.ts';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import styles from './toolbar.module.css';

const saveMessages = messages.flow.save;

export function SaveStatus() {
  const save = useBoard(state => state.save);
  const { session, canvas } = useEditor();
  if (session.isReadOnly)
    return (
      <span role="status" aria-label={saveMessages.label} className={styles.save} data-state="saved">
        {componentMessages.viewOnly}
      </span>
    );
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
      {save.kind === 'refused' && save.error.code === BREAKS_APP && <BreakAppButton error={save.error} />}
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

const BREAKS_APP = 'app_would_break';

/** Renders a button that saves after a confirmation, although the app of the workflow cannot use the board. */
function BreakAppButton({ error }: { readonly error: ApiError }) {
  const { session } = useEditor();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <button type="button" className={styles.issue} onClick={() => setIsAsking(true)}>
        {saveMessages.saveAnyway}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={saveMessages.breakTitle}
          action={saveMessages.saveAnyway}
          onConfirm={() => session.saveBreakingApp()}
          onClose={() => setIsAsking(false)}
        >
          {saveMessages.breakText} {error.issues?.map(({ message }) => message).join(' ')}
        </ConfirmDialog>
      )}
    </>
  );
}

function toLabel(save: SaveState): string {
  if (save.kind === 'refused' && save.error.code === BREAKS_APP) return saveMessages.breaksApp;
  if (save.kind === 'refused') return saveMessages.refused(save.error.message);
  return save.kind === 'conflicts' ? saveMessages.conflicts(save.count) : saveMessages[save.kind];
}
