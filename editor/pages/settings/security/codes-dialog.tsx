// Renders the dialog that shows new recovery codes, once.
import { Button, ButtonAnchor } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { messages } from './messages.ts';
import styles from './security.module.css';

interface CodesDialogProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

export function CodesDialog({ codes, onClose }: CodesDialogProps) {
  const text = `${codes.join('\n')}\n`;
  return (
    <Dialog
      title={messages.saveCodes}
      onClose={onClose}
      actions={
        <>
          <ButtonAnchor
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
            download="graphwright-recovery-codes.txt"
          >
            {messages.downloadCodes}
          </ButtonAnchor>
          <Button variant="primary" onClick={onClose}>
            {messages.saved}
          </Button>
        </>
      }
    >
      <p>{messages.saveCodesText}</p>
      <div className={styles.codes}>
        <ul>
          {codes.map(code => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <CopyButton text={text} label={messages.copyCodes} />
      </div>
    </Dialog>
  );
}
