// Renders a dialog with one field for a new name.
import { useState } from 'react';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { messages } from './messages.ts';

interface RenameDialogProps {
  readonly title: string;
  /** The current name. */
  readonly name: string;
  readonly run: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

export function RenameDialog({ title, name, run, onClose }: RenameDialogProps) {
  const [newName, setNewName] = useState(name);
  return (
    <FormDialog title={title} submit={messages.save} onSubmit={() => run(newName)} onClose={onClose}>
      <TextField
        label={messages.name}
        required
        maxLength={200}
        value={newName}
        onChange={event => setNewName(event.target.value)}
      />
    </FormDialog>
  );
}
