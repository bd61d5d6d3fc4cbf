// Renders a media setting: a URL field, and buttons to upload a file, take a photo, or choose from the library.

import Camera from 'icon:camera';
import Upload from 'icon:upload';
import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { setData } from '../../../board/edits.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { TextField } from '../../../kit/field.tsx';
import type { Icon } from '../../../kit/icon.ts';
import { Loading } from '../../../kit/spinner.tsx';
import { api, upload as uploadFile } from '../../../lib/api.ts';
import { showToast } from '../../../lib/toasts.ts';
import { useEditor } from '../../../runs/editor-context.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const mediaMessages = messages.flow.media;
/** Phones and tablets open the camera for file inputs with `capture`. */
const HAS_CAMERA = matchMedia('(pointer: coarse)').matches;

interface MediaItem {
  readonly mediaId: string;
  readonly url: string;
  readonly name: string;
  readonly contentType: string;
}

export function MediaControl(props: ControlProps) {
  const { node, input, value, hint, error, onChange } = props;
  // Input nodes take a URL or a media id. Only the URL field gets the buttons.
  const isUrlOfInput = input.id === 'url' && /^input:(?:image|video|audio)$/.test(node.data.nodeType);
  const kind = props.mediaKind ?? (isUrlOfInput ? node.data.nodeType.slice('input:'.length) : undefined);
  return (
    <div className={styles.media}>
      <TextField
        label={input.label}
        hint={hint}
        error={error}
        placeholder={kind === undefined ? '' : 'https://'}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
      {kind !== undefined && <FileButtons {...props} kind={kind} />}
    </div>
  );
}

function FileButtons({ node, value, kind, mediaKind, onChange }: ControlProps & { readonly kind: string }) {
  const { store } = useEditor().session;
  const [isOpen, setOpen] = useState(false);
  const setUrl = (url: string): void => {
    if (mediaKind !== undefined) {
      onChange(url);
      return;
    }
    const { mediaId: _, ...config } = node.data.config ?? {};
    store.actions.perform(
      mediaMessages.edit,
      setData(store.getState().board, node.id, { config: { ...config, url } }),
    );
  };
  const { isBusy, upload } = useUpload(setUrl);
  const onPaste = (event: ClipboardEvent): void => {
    const [pasted] = event.clipboardData.files;
    if (pasted === undefined) return;
    event.preventDefault();
    void upload(pasted);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    void upload(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the upload button does the same
    <div
      className={styles.drop}
      onDragOver={event => event.preventDefault()}
      data-drop
      onDrop={onDrop}
      onPaste={onPaste}
    >
      {typeof value === 'string' && value !== '' && kind === 'image' && (
        <img src={value} alt="" className={styles.shown} />
      )}
      <div className={styles.buttons}>
        <FileButton kind={kind} icon={Upload} label={mediaMessages.upload} isBusy={isBusy} onFile={upload} />
        <Button size="s" onClick={() => setOpen(true)}>
          {mediaMessages.library}
        </Button>
        {HAS_CAMERA && (
          <FileButton
            kind={kind}
            icon={Camera}
            label={mediaMessages.camera}
            isBusy={isBusy}
            usesCamera
            onFile={upload}
          />
        )}
      </div>
      {isOpen && (
        <MediaPicker
          kind={kind}
          onClose={() => setOpen(false)}
          onChoose={url => {
            setOpen(false);
            setUrl(url);
          }}
        />
      )}
    </div>
  );
}

interface FileButtonProps {
  readonly kind: string;
  readonly icon: Icon;
  readonly label: string;
  readonly isBusy: boolean;
  /** Opens the camera instead of the file picker. */
  readonly usesCamera?: boolean;
  readonly onFile: (file: File | undefined) => Promise<void>;
}

export function FileButton({ kind, icon, label, isBusy, usesCamera = false, onFile }: FileButtonProps) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={file}
        type="file"
        accept={`${kind}/*`}
        {...(usesCamera ? { capture: 'environment' } : {})}
        hidden
        onChange={({ target }) => void onFile(target.files?.[0])}
      />
      <Button size="s" icon={icon} isBusy={isBusy} onClick={() => file.current?.click()}>
        {label}
      </Button>
    </>
  );
}

export function useUpload(onUploaded: (url: string) => void) {
  const [isBusy, setBusy] = useState(false);
  const upload = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setBusy(true);
    try {
      onUploaded((await uploadFile(file)).url);
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
    queryKey: ['/media', { type: kind, limit: 60 }],
    queryFn: ({ signal }) =>
      api.get<{ data: readonly MediaItem[] }>('/media', { query: { type: kind, limit: 60 }, signal }),
  });
  return (
    <Dialog title={mediaMessages.libraryTitle} onClose={onClose}>
      {error !== null && <p role="alert">{toErrorMessage(error)}</p>}
      {data === undefined && error === null && <Loading />}
      {data?.data.length === 0 && <p>{mediaMessages.libraryEmpty}</p>}
      <ul className={styles.library}>
        {data?.data.map(({ mediaId, url, name }) => (
          <li key={mediaId}>
            <button type="button" onClick={() => onChoose(url)}>
              {kind === 'image' && <img src={url} alt="" loading="lazy" />}
              <span>{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
