// Chooses media for a setting: uploads a file, or picks one from the library.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { MediaItem } from '../../sdk/src/schemas.ts';
import { uploadFile } from '../../sdk/src/upload.ts';
import { messages } from '../flow-messages.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { toErrorMessage } from '../kit/failure.tsx';
import type { Icon } from '../kit/icon.ts';
import { MediaView } from '../kit/media-view.tsx';
import { Loading } from '../kit/spinner.tsx';
import { api, connection } from '../lib/api.ts';
import { showToast } from '../lib/toasts.ts';
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
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={file}
        type="file"
        accept={`${kind}/*`}
        {...(usesCamera ? { capture: 'environment' } : {})}
        hidden
        onChange={({ target }) => {
          void onFile(target.files?.[0]);
          // Otherwise the browser reports no change when the same file is chosen again.
          target.value = '';
        }}
      />
      {isCompact ? (
        <IconButton
          size="s"
          icon={icon}
          label={label}
          disabled={isBusy}
          onClick={() => file.current?.click()}
        />
      ) : (
        <Button size="s" icon={icon} isBusy={isBusy} onClick={() => file.current?.click()}>
          {label}
        </Button>
      )}
    </>
  );
}

export function useUpload(onUploaded: (url: string) => void) {
  const [isBusy, setBusy] = useState(false);
  const upload = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setBusy(true);
    try {
      onUploaded((await uploadFile(connection, file, {})).url);
    } catch (thrown) {
      showToast(toErrorMessage(thrown), { tone: 'failed' });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, upload };
}

interface MediaPickerProps {
  readonly kind: string;
  readonly onChoose: (url: string) => void;
  readonly onClose: () => void;
}

export function MediaPicker({ kind, onChoose, onClose }: MediaPickerProps) {
  const { data, error } = useQuery({
    queryKey: ['/media', 'picker', kind],
    queryFn: ({ signal }) =>
      api.get<{ data: readonly MediaItem[] }>('/media', {
        query: { type: kind, origin: 'all', limit: 60 },
        signal,
      }),
  });
  return (
    <Dialog title={mediaMessages.libraryTitle} onClose={onClose}>
      {error !== null && <p role="alert">{toErrorMessage(error)}</p>}
      {data === undefined && error === null && <Loading />}
      {data?.data.length === 0 && <p>{mediaMessages.libraryEmpty}</p>}
      <ul className={styles.library}>
        {data?.data.map(({ mediaId, url, name, contentType, posterUrl, prompt }) => (
          <li key={mediaId}>
            <button type="button" onClick={() => onChoose(url)}>
              {kind !== 'audio' && (
                <MediaView
                  url={url}
                  contentType={contentType}
                  posterUrl={posterUrl ?? undefined}
                  label=""
                  variant="square"
                />
              )}
              <span className={styles.name}>{prompt ?? name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
