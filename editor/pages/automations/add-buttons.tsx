// Renders the buttons that add a schedule or a trigger, with their dialogs.
import Plus from 'icon:plus';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { messages } from './messages.ts';

interface DialogProps {
  readonly workflowId?: string;
  readonly onClose: () => void;
}

const DIALOGS = {
  schedule: lazyComponent<DialogProps>(async () => (await import('./schedule-form.tsx')).ScheduleDialog),
  trigger: lazyComponent<DialogProps>(async () => (await import('./trigger-form.tsx')).TriggerDialog),
} as const;
const LABELS = { schedule: messages.addSchedule, trigger: messages.addTrigger } as const;
const KINDS = ['schedule', 'trigger'] as const;

interface AddButtonsProps {
  /** If it is undefined, the dialogs have a field for the workflow. */
  readonly workflowId?: string;
  readonly size?: 's';
  /** Called before a dialog opens, for example to save the workflow whose inputs it shows. */
  readonly prepare?: () => Promise<unknown>;
}

export function AddButtons({ workflowId, size, prepare = () => Promise.resolve() }: AddButtonsProps) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const OpenDialog = open && DIALOGS[open];
  return (
    <>
      {KINDS.map(kind => (
        <Button
          key={kind}
          {...(size === undefined ? {} : { size })}
          icon={Plus}
          onClick={() => void prepare().finally(() => setOpen(kind))}
        >
          {LABELS[kind]}
        </Button>
      ))}
      {OpenDialog && (
        <OpenDialog
          {...(workflowId === undefined ? {} : { workflowId })}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
