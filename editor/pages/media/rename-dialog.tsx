// Renders the dialog that renames a file or a collection.
import { NameDialog } from '../../kit/name-dialog.tsx';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';

interface RenameDialogProps {
  readonly name: string;
  /** The path of the list that contains it. */
  readonly list: '/media' | '/collections';
  readonly id: string;
  readonly onClose: () => void;
}

export function RenameDialog({ name, list, id, onClose }: RenameDialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <NameDialog
      title={messages.renameTitle(name)}
      name={name}
      onSubmit={async newName => {
        await api.patch(`${list}/${id}`, { name: newName });
        await reloadAndToast(messages.renamed(newName), [list]);
      }}
      onClose={onClose}
    />
  );
}
