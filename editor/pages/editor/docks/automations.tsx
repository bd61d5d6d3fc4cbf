// Renders the schedules and triggers of the workflow, and buttons to add them.
import { useEditor } from '../../../session/editor-context.tsx';
import { AddButtons } from '../../automations/add-buttons.tsx';
import { AutomationList } from '../../automations/automation-list.tsx';
import { messages } from '../../automations/messages.ts';
import styles from './dock.module.css';

export function Automations() {
  const { session } = useEditor();
  return (
    <>
      <div className={styles.tools}>
        <AddButtons
          workflowId={session.id}
          size="s"
          // The forms show the inputs of the saved workflow.
          prepare={() => session.saver.flushOrThrowOnConflict()}
        />
      </div>
      <AutomationList workflowId={session.id} empty={<p className={styles.empty}>{messages.emptyBoard}</p>} />
    </>
  );
}
