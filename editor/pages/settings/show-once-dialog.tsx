// Renders a dialog with a value that is shown only once, and a copy button.
import { Button } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/field.tsx';
import { messages } from './messages.ts';
import styles from './section.module.css';

interface ShowOnceDialogProps {
  readonly title: string;
  /** What to do with the value. */
  readonly text: string;
  /** Label of the value. */
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export function ShowOnceDialog({ title, text, label, secret, onClose }: ShowOnceDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {messages.done}
        </Button>
      }
    >
      <p>{text}</p>
      <div className={styles.secret}>
        <TextField
          label={label}
          value={secret}
          readOnly
          spellCheck={false}
          onFocus={event => event.target.select()}
        />
        <CopyButton text={secret} label={messages.copy} />
      </div>
    </Dialog>
  );
}
