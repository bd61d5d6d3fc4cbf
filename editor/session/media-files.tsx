// Chooses media for a setting: uploads a file, or picks a file from the library.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../flow-messages.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { showError } from '../kit/failure.tsx';
import { FileInput } from '../kit/file-input.tsx';
import type { Icon } from '../kit/icon.ts';
import { Thumbnail } from '../kit/media-view.tsx';
import { QueryResult } from '../kit/query-result.tsx';
import { apiQuery } from '../lib/queries.ts';
import { uploadAndWarn } from '../lib/upload-file.ts';
import styles from './media-files.module.css';

const mediaMessages = messages.flow.media;

interface FileButtonProps {
  readonly kind: string;
  readonly icon: Icon;
  readonly label: string;
  readonly isBusy: boolean;
  /** Opens the camera instead of the file picker. */
  readonly usesCamera?: boolean;
  /** Shows only the icon. */
  readonly isCompact?: boolean;
  readonly onFile: (file: File | undefined) => Promise<void>;
}

export function FileButton({
  kind,
  icon,
  label,
  isBusy,
  usesCamera = false,
  isCompact,
  onFile,
}: FileButtonProps) {
  return (
    <FileInput
      accept={`${kind}/*`}
      {...(usesCamera ? { capture: 'environment' } : {})}
      onFiles={([file]) => void onFile(file)}
    >
      {openPicker =>
        isCompact ? (
          <IconButton size="s" icon={icon} label={label} disabled={isBusy} onClick={openPicker} />
        ) : (
          <Button size="s" icon={icon} isBusy={isBusy} onClick={openPicker}>
            {label}
          </Button>
        )
      }
    </FileInput>
  );
}

export function useUpload(onUploaded: (url: string) => void) {
  const [isBusy, setBusy] = useState(false);
  const upload = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setBusy(true);
    try {
      onUploaded((await uploadAndWarn(file)).url);
    } catch (thrown) {
      showError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, upload };
}

interface MediaPickerProps {
  readonly kind: string;
  /** Called after `onClose`. */
  readonly onChoose: (url: string) => void;
  readonly onClose: () => void;
}

export function MediaPicker({ kind, onChoose, onClose }: MediaPickerProps) {
  const library = useQuery(apiQuery(['/media'], { type: kind, origin: 'all', limit: 60 }));
  return (
    <Dialog title={mediaMessages.libraryTitle} onClose={onClose}>
      <QueryResult query={library}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{mediaMessages.libraryEmpty}</p>
          ) : (
            <ul className={styles.library}>
              {data.map(item => (
                <li key={item.mediaId}>
                  <button
                    type="button"
                    onClick={() => {
                      onClose();
                      onChoose(item.url);
                    }}
                  >
                    {kind !== 'audio' && <Thumbnail {...item} />}
                    <span className={styles.name}>{item.prompt ?? item.name}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Dialog>
  );
}
