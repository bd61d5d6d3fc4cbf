// Moves a workflow to a folder without dragging.
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { SelectField } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { messages } from './messages.ts';
import type { TreeFolder } from './use-folders.ts';
import { type ListedWorkflow, useWorkflowActions } from './use-workflow-actions.ts';

interface MoveDialogProps {
  readonly workflow: ListedWorkflow;
  readonly folders: readonly TreeFolder[];
  readonly onClose: () => void;
}

export function MoveDialog({ workflow, folders, onClose }: MoveDialogProps) {
  const [folderId, setFolderId] = useState(workflow.folderId ?? '');
  const { move } = useWorkflowActions();
  const submit = (): void => {
    const folder = folders.find(({ id }) => id === folderId);
    move(workflow, folder?.id ?? null, folder?.name ?? null);
    onClose();
  };
  return (
    <Dialog title={messages.moveTitle(workflow.name)} onClose={onClose}>
      <Form onSubmit={submit}>
        <SelectField
          label={messages.folders}
          value={folderId}
          onChange={event => setFolderId(event.target.value)}
        >
          <option value="">{messages.noFolder}</option>
          {folders.map(({ id, name, depth }) => (
            <option key={id} value={id}>
              {`${'  '.repeat(depth)}${name}`}
            </option>
          ))}
        </SelectField>
        <Button type="submit" variant="primary">
          {messages.save}
        </Button>
      </Form>
    </Dialog>
  );
}
