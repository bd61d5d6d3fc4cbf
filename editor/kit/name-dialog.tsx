// Renders a dialog with one field for a name.
import { useState } from 'react';
import { messages } from '../messages.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

interface NameDialogProps {
  readonly title: string;
  /** Label of the field. */
  readonly label?: string;
  readonly maxLength?: number;
  /** The current name of an existing item. */
  readonly name?: string | undefined;
  /** Text of the submit button. Default: Save. */
  readonly submitText?: string;
  readonly onSubmit: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

export function NameDialog({
  title,
  label = messages.common.name,
  maxLength = 200,
  name = '',
  submitText,
  onSubmit,
  onClose,
}: NameDialogProps) {
  const [newName, setNewName] = useState(name);
  return (
    <FormDialog title={title} submitText={submitText} onSubmit={() => onSubmit(newName)} onClose={onClose}>
      <TextField
        label={label}
        required
        maxLength={maxLength}
        value={newName}
        onChange={event => setNewName(event.target.value)}
      />
    </FormDialog>
  );
}
