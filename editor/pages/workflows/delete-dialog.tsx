// Renders the dialog that confirms the deletion of a component and lists the workflows that use it.
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { messages } from '../../component-messages.ts';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { CallerList } from '../editor/component/callers.tsx';
import { useWorkflowActions } from './use-workflow-actions.ts';

interface DeleteDialogProps {
  readonly workflow: WorkflowListItem;
  readonly onClose: () => void;
}

export function DeleteDialog({ workflow, onClose }: DeleteDialogProps) {
  const { removeInUse } = useWorkflowActions();
  return (
    <ConfirmDialog
      title={messages.delete.title(workflow.name)}
      action={messages.delete.action}
      onConfirm={() => removeInUse(workflow)}
      onClose={onClose}
      details={<CallerList workflowId={workflow.id} />}
    >
      {messages.delete.text}
    </ConfirmDialog>
  );
}
