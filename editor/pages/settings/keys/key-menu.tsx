// Renders the actions of an API key.

import More from 'icon:ellipsis';
import Gauge from 'icon:gauge';
import Pencil from 'icon:pencil';
import Trash from 'icon:trash-2';
import { useState } from 'react';
import type { Key } from '../../../../sdk/src/schemas.ts';
import { IconButton } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import { NameDialog } from '../../../kit/name-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { LimitDialog } from '../limit-dialog.tsx';
import { messages as settingsMessages } from '../messages.ts';
import { messages } from './messages.ts';

export function KeyMenu({ apiKey: { id, name, monthlyCredits } }: { readonly apiKey: Key }) {
  const [openDialog, setOpenDialog] = useState<'rename' | 'limit' | 'remove'>();
  const reloadAndToast = useReloadAndToast();
  const close = (): void => setOpenDialog(undefined);
  return (
    <>
      <Menu trigger={<IconButton icon={More} size="s" label={messages.actionsOf(name)} />}>
        <MenuItem icon={Pencil} onSelect={() => setOpenDialog('rename')}>
          {messages.rename}
        </MenuItem>
        <MenuItem icon={Gauge} onSelect={() => setOpenDialog('limit')}>
          {settingsMessages.limit.set}
        </MenuItem>
        <MenuItem icon={Trash} isDangerous onSelect={() => setOpenDialog('remove')}>
          {messages.delete}
        </MenuItem>
      </Menu>
      {openDialog === 'rename' && (
        <NameDialog
          title={messages.renameTitle}
          name={name}
          onSubmit={async newName => {
            await api.patch(`/keys/${id}`, { name: newName });
            await reloadAndToast(messages.renamed, ['/keys']);
          }}
          onClose={close}
        />
      )}
      {openDialog === 'limit' && (
        <LimitDialog
          title={settingsMessages.limit.titleOf(name)}
          monthlyCredits={monthlyCredits}
          onSave={async newLimit => {
            await api.patch(`/keys/${id}`, { monthlyCredits: newLimit });
            await reloadAndToast(settingsMessages.limit.changed(name), ['/keys']);
          }}
          onClose={close}
        />
      )}
      {openDialog === 'remove' && (
        <ConfirmDialog
          title={messages.deleteTitle(name)}
          action={messages.delete}
          onConfirm={async () => {
            await api.delete(`/keys/${id}`);
            await reloadAndToast(messages.deleted(name), ['/keys']);
          }}
          onClose={close}
        >
          {messages.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
