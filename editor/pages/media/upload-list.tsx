// Renders uploads in progress and the upload button.

import UploadIcon from 'icon:upload';
import Close from 'icon:x';
import { Button, IconButton } from '../../kit/button.tsx';
import { FileInput } from '../../kit/file-input.tsx';
import { Progress } from '../../kit/spinner.tsx';
import { messages as sharedMessages } from '../../messages.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import type { Upload } from './use-uploads.ts';

export function UploadList({ uploads }: { readonly uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null;
  return (
    <ul className={styles.uploads} aria-label={messages.uploading}>
      {uploads.map(({ id, name, fraction, cancel }) => (
        <li key={id}>
          <span className={styles.name}>{name}</span>
          <Progress label={name} fraction={fraction} />
          <IconButton icon={Close} size="s" label={sharedMessages.common.cancel} onClick={cancel} />
        </li>
      ))}
    </ul>
  );
}

export function UploadButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <FileInput multiple accept="image/*,video/*,audio/*" onFiles={onFiles}>
      {openPicker => (
        <Button variant="primary" icon={UploadIcon} onClick={openPicker}>
          {messages.upload}
        </Button>
      )}
    </FileInput>
  );
}
