// Renders the dialogs that create, rename and delete folders.
import { useQueryClient } from '@tanstack/react-query';
import type { Folder } from '../../../sdk/src/schemas.ts';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { NameDialog } from '../../kit/name-dialog.tsx';
import { api } from '../../lib/api.ts';
import { messages } from './messages.ts';

interface FolderDialogProps {
  /** The folder to rename. If it is undefined, the dialog creates a folder. */
  readonly folder: Folder | undefined;
  readonly onClose: () => void;
}

export function FolderDialog({ folder, onClose }: FolderDialogProps) {
  const client = useQueryClient();
  const save = async (name: string): Promise<void> => {
    if (folder === undefined) await api.post('/folders', { name });
    else await api.patch(`/folders/${folder.id}`, { name });
    await client.invalidateQueries({ queryKey: ['/folders'] });
  };
  return (
    <NameDialog
      title={folder === undefined ? messages.newFolder : messages.renameFolder}
      label={messages.folderName}
      maxLength={100}
      name={folder?.name}
      onSubmit={save}
      onClose={onClose}
    />
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
  const remove = async (): Promise<void> => {
    await api.delete(`/folders/${folder.id}`);
    onRemoved();
    await client.invalidateQueries({ queryKey: ['/folders'] });
    await client.invalidateQueries({ queryKey: ['/workflows'] });
  };
  return (
    <ConfirmDialog
      title={messages.deleteFolderTitle(folder.name)}
      action={messages.deleteFolder}
      onConfirm={remove}
      onClose={onClose}
    >
      {messages.deleteFolderText}
    </ConfirmDialog>
  );
}
