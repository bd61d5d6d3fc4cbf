// Renames something in a dialog.
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
  const [next, setNext] = useState(name);
  return (
    <FormDialog title={title} submit={messages.save} run={() => run(next)} onClose={onClose}>
      <TextField
        label={messages.name}
        required
        maxLength={200}
        value={next}
        onChange={event => setNext(event.target.value)}
      />
    </FormDialog>
  );
}
