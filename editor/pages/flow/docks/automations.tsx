// Renders the schedules and triggers of the workflow, and buttons to add them.
import Plus from 'icon:plus';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useEditor } from '../../../runs/editor-context.tsx';
import { AutomationList } from '../../automations/automation-list.tsx';
import { messages } from '../../automations/messages.ts';
import { ScheduleDialog } from '../../automations/schedule-form.tsx';
import { TriggerDialog } from '../../automations/trigger-form.tsx';
import styles from './dock.module.css';

const DIALOGS = { schedule: ScheduleDialog, trigger: TriggerDialog } as const;

export function Automations() {
  const { session } = useEditor();
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const OpenDialog = open && DIALOGS[open];
  const add = (kind: keyof typeof DIALOGS) => (): void =>
    // Saves first, because the forms show the inputs of the saved workflow.
    void session.saver.flushWithoutConflicts().finally(() => setOpen(kind));
  return (
    <>
      <div className={styles.tools}>
        <Button size="s" icon={Plus} onClick={add('schedule')}>
          {messages.addSchedule}
        </Button>
        <Button size="s" icon={Plus} onClick={add('trigger')}>
          {messages.addTrigger}
        </Button>
      </div>
      <AutomationList workflowId={session.id} empty={<p className={styles.empty}>{messages.emptyBoard}</p>} />
      {OpenDialog && <OpenDialog workflowId={session.id} onClose={() => setOpen(undefined)} />}
    </>
  );
}
