// Renders the dialogs that create, rename and delete folders.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Folder } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Failure } from '../../kit/failure.tsx';
import { TextField } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { api } from '../../lib/api.ts';
import { messages as appMessages } from '../../messages.ts';
import { messages } from './messages.ts';

/** Renames the folder, or creates one if `folder` is undefined. */
export function FolderDialog({
  folder,
  onClose,
}: {
  readonly folder: Folder | undefined;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(folder?.name ?? '');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      folder === undefined ? api.post('/folders', { name }) : api.patch(`/folders/${folder.id}`, { name }),
    onSuccess: () => {
      onClose();
      return client.invalidateQueries({ queryKey: ['/folders'] });
    },
  });
  return (
    <Dialog title={folder === undefined ? messages.newFolder : messages.renameFolder} onClose={onClose}>
      <Form onSubmit={() => save.mutate()}>
        <TextField
          label={messages.folderName}
          value={name}
          required
          maxLength={100}
          onChange={event => setName(event.target.value)}
        />
        {save.error && <Failure error={save.error} />}
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {messages.save}
        </Button>
      </Form>
    </Dialog>
  );
}

export function RemoveFolderDialog({
  folder,
  onClose,
  onRemoved,
}: {
  readonly folder: Folder;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.delete(`/folders/${folder.id}`),
    onSuccess: async () => {
      onClose();
      onRemoved();
      await client.invalidateQueries({ queryKey: ['/folders'] });
      await client.invalidateQueries({ queryKey: ['/workflows'] });
    },
  });
  return (
    <Dialog
      title={messages.removeFolderTitle(folder.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{appMessages.common.cancel}</Button>
          <Button variant="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {messages.removeFolder}
          </Button>
        </>
      }
    >
      <p>{messages.removeFolderText}</p>
      {remove.error && <Failure error={remove.error} />}
    </Dialog>
  );
}
