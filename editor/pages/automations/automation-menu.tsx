// Renders the menu of a schedule or a trigger, and the dialogs that it opens.
import Ellipsis from 'icon:ellipsis';
import { useState } from 'react';
import { IconButton } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { useSession } from '../../lib/session.ts';
import { BackfillDialog } from './backfill.tsx';
import { messages } from './messages.ts';
import { ScheduleDialog } from './schedule-form.tsx';
import { HookUrlDialog, TriggerDialog } from './trigger-form.tsx';
import {
  type Automation,
  getKind,
  removeAutomation,
  replaceWebhookUrl,
  useReloadAutomations,
} from './use-automations.ts';

type DialogKind = 'edit' | 'backfill' | 'replace-url' | 'remove';

export function AutomationMenu({ automation }: { readonly automation: Automation }) {
  const [openDialog, setOpenDialog] = useState<DialogKind>();
  /** The new URL of a webhook, until the dialog that shows it is closed. */
  const [newUrl, setNewUrl] = useState<string>();
  const reload = useReloadAutomations();
  const close = (): void => setOpenDialog(undefined);
  const { name } = automation;
  const { userId } = useSession().user;
  return (
    <>
      <Menu trigger={<IconButton size="s" icon={Ellipsis} label={messages.more(name)} />}>
        <MenuItem onSelect={() => setOpenDialog('edit')}>{messages.edit}</MenuItem>
        {automation.type === 'schedule' && (
          <MenuItem onSelect={() => setOpenDialog('backfill')}>{messages.backfill}</MenuItem>
        )}
        {getKind(automation) === 'hook' && automation.createdBy === userId && (
          <MenuItem onSelect={() => setOpenDialog('replace-url')}>{messages.trigger.replaceAddress}</MenuItem>
        )}
        <MenuItem isDangerous onSelect={() => setOpenDialog('remove')}>
          {messages.delete}
        </MenuItem>
      </Menu>
      {openDialog === 'edit' &&
        (automation.type === 'schedule' ? (
          <ScheduleDialog workflowId={automation.workflowId} schedule={automation} onClose={close} />
        ) : (
          <TriggerDialog workflowId={automation.workflowId} trigger={automation} onClose={close} />
        ))}
      {openDialog === 'backfill' && automation.type === 'schedule' && (
        <BackfillDialog schedule={automation} onClose={close} />
      )}
      {openDialog === 'replace-url' && automation.type === 'trigger' && (
        <ConfirmDialog
          title={messages.trigger.replaceTitle(name)}
          action={messages.trigger.replaceAddress}
          onConfirm={async () => setNewUrl(await replaceWebhookUrl(automation))}
          onClose={close}
        >
          {messages.trigger.replaceText}
        </ConfirmDialog>
      )}
      {newUrl !== undefined && automation.type === 'trigger' && (
        <HookUrlDialog
          url={newUrl}
          isSigned={automation.config.hasSecret === true}
          pointers={automation.inputs}
          onClose={() => setNewUrl(undefined)}
        />
      )}
      {openDialog === 'remove' && (
        <ConfirmDialog
          title={messages.deleteTitle(name)}
          action={messages.delete}
          onConfirm={() => removeAutomation(automation).then(reload)}
          onClose={close}
        >
          {messages.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
