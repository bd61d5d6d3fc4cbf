// Renders the dialogs that ask before files are deleted.

import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';

export interface RemoveSeveralDialogProps {
  readonly mediaIds: readonly string[];
  readonly onClose: () => void;
}

/** Deletes the files that no workflow uses, and says how many remain. */
export function RemoveSeveralDialog({ mediaIds, onClose }: RemoveSeveralDialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.deleteSeveralTitle(mediaIds.length)}
      action={messages.delete}
      onConfirm={async () => {
        const { deleted, failed } = await api.post('/media/delete', { mediaIds });
        await reloadAndToast(messages.deletedSeveral(deleted.length), ['/media', '/collections']);
        const [first] = failed;
        if (first !== undefined)
          showToast(messages.notDeleted(failed.length, first.message), { tone: 'failed' });
      }}
      onClose={onClose}
    >
      {messages.deleteSeveralText}
    </ConfirmDialog>
  );
}
