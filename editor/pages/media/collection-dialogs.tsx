// Renders the dialogs that create, rename and delete a collection.
import type { Collection } from '../../../sdk/src/schemas.ts';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { NameDialog } from '../../kit/name-dialog.tsx';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';
import { RenameDialog } from './rename-dialog.tsx';

export interface CreateCollectionDialogProps {
  readonly onCreated: (id: string) => void;
  readonly onClose: () => void;
}

export function CreateCollectionDialog({ onCreated, onClose }: CreateCollectionDialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <NameDialog
      title={messages.newCollection}
      submitText={messages.create}
      onSubmit={async name => {
        const { id } = await api.post('/collections', { name });
        await reloadAndToast(messages.collectionCreated(name), ['/collections']);
        onCreated(id);
      }}
      onClose={onClose}
    />
  );
}

export interface CollectionDialogProps {
  readonly collection: Collection;
  readonly onClose: () => void;
}

export function RenameCollectionDialog({ collection: { id, name }, onClose }: CollectionDialogProps) {
  return <RenameDialog name={name} id={id} list="/collections" onClose={onClose} />;
}

export interface DeleteCollectionDialogProps extends CollectionDialogProps {
  readonly onDeleted: () => void;
}

export function DeleteCollectionDialog({
  collection: { id, name },
  onDeleted,
  onClose,
}: DeleteCollectionDialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      action={messages.deleteCollection}
      onConfirm={async () => {
        await api.delete(`/collections/${id}`);
        onDeleted();
        await reloadAndToast(messages.deleted(name), ['/collections', '/media']);
      }}
      onClose={onClose}
    >
      {messages.deleteCollectionText}
    </ConfirmDialog>
  );
}
