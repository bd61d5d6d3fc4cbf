// Renders the dialog that moves a workflow to a folder, as an alternative to dragging.

import { useState } from 'react';
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { SelectField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { messages } from './messages.ts';
import type { TreeFolder } from './use-folders.ts';
import { useWorkflowActions } from './use-workflow-actions.ts';

interface MoveDialogProps {
  readonly workflow: WorkflowListItem;
  readonly folders: readonly TreeFolder[];
  readonly onClose: () => void;
}

export function MoveDialog({ workflow, folders, onClose }: MoveDialogProps) {
  const [folderId, setFolderId] = useState(workflow.folderId ?? '');
  const { move } = useWorkflowActions();
  const moveWorkflow = async (): Promise<void> => {
    const folder = folders.find(({ id }) => id === folderId);
    move(workflow, folder?.id ?? null, folder?.name ?? null);
  };
  return (
    <FormDialog title={messages.moveTitle(workflow.name)} onSubmit={moveWorkflow} onClose={onClose}>
      <SelectField
        label={messages.folders}
        value={folderId}
        onChange={event => setFolderId(event.target.value)}
        options={folders.map(({ id, name, depth }) => [id, `${'  '.repeat(depth)}${name}`] as const)}
      >
        <option value="">{messages.noFolder}</option>
      </SelectField>
    </FormDialog>
  );
}
