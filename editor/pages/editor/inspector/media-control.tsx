// Renders a media setting: a URL field, and buttons to upload a file, take a photo, or choose from the library.

import Camera from 'icon:camera';
import Upload from 'icon:upload';
import { type ClipboardEvent, type DragEvent, useState } from 'react';
import { getMediaInputKind } from '../../../../src/graph/input-nodes.ts';
import { setMediaUrl } from '../../../board/edits.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { getPastedFiles } from '../../../lib/pasted-files.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { FileButton, MediaPicker, useUpload } from '../../../session/media-files.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const mediaMessages = messages.flow.media;
/** Phones and tablets open the camera for file inputs with `capture`. */
const HAS_CAMERA = matchMedia('(pointer: coarse)').matches;

export function MediaControl(props: ControlProps) {
  const { node, input, value, hint, error, onChange } = props;
  // Input nodes take a URL or a media id. Only the URL field gets the buttons.
  const inputKind = input.id === 'url' ? getMediaInputKind(node.data.nodeType) : undefined;
  const kind = props.mediaKind ?? inputKind;
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
    store.actions.perform(mediaMessages.edit, setMediaUrl(store.getState().board, node.id, url));
  };
  const { isBusy, upload } = useUpload(setUrl);
  const onPaste = (event: ClipboardEvent): void => {
    const [pasted] = getPastedFiles(event);
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
      {isOpen && <MediaPicker kind={kind} onClose={() => setOpen(false)} onChoose={setUrl} />}
    </div>
  );
}
