// Asks before the deletion of a workflow that others use as a component, and lists them.
import { messages } from '../../component-messages.ts';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { CallerList } from '../flow/component/callers.tsx';
import { type ListedWorkflow, useWorkflowActions } from './use-workflow-actions.ts';

interface DeleteDialogProps {
  readonly workflow: ListedWorkflow;
  readonly onClose: () => void;
}

export function DeleteDialog({ workflow, onClose }: DeleteDialogProps) {
  const { removeInUse } = useWorkflowActions();
  return (
    <ConfirmDialog
      title={messages.remove.title(workflow.name)}
      action={messages.remove.action}
      onConfirm={() => removeInUse(workflow)}
      onClose={onClose}
      details={<CallerList workflowId={workflow.id} />}
    >
      {messages.remove.text}
    </ConfirmDialog>
  );
}
