// Renders a dialog that removes a model from the catalog. Workflows that use the model still run.
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';
import type { Model } from './model.ts';

interface RemoveDialogProps {
  readonly model: Model;
  readonly revision: string;
  readonly onClose: () => void;
}

export function RemoveDialog({ model, revision, onClose }: RemoveDialogProps) {
  const reloadAndToast = useReloadAndToast();
  const remove = async (): Promise<void> => {
    const since = new Date().toISOString().slice(0, 10);
    const hiddenModel = { ...model, isHidden: true, deprecated: { since, isRemoved: true } };
    await api.post('/admin/models', { revision, models: [hiddenModel] });
    await reloadAndToast(messages.removed(model.label), ['/admin/models', '/nodes']);
  };
  return (
    <ConfirmDialog
      title={messages.removeTitle(model.label)}
      action={messages.remove}
      onConfirm={remove}
      onClose={onClose}
    >
      {messages.removeText}
    </ConfirmDialog>
  );
}
