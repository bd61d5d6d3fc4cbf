// Renders the actions of a workflow or folder in the list.

import Component from 'icon:component';
import Copy from 'icon:copy';
import Download from 'icon:download';
import Ellipsis from 'icon:ellipsis';
import FolderInput from 'icon:folder-input';
import SquareArrowOutUpRight from 'icon:square-arrow-out-up-right';
import Trash from 'icon:trash-2';
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../kit/menu.tsx';
import { messages } from './messages.ts';
import { useWorkflowActions, type WorkflowDialog } from './use-workflow-actions.ts';

export interface WorkflowMenuProps {
  readonly workflow: WorkflowListItem;
  readonly onOpen: (dialog: WorkflowDialog) => void;
}

export function WorkflowMenu({ workflow, onOpen }: WorkflowMenuProps) {
  const { id, name, callerCount = 0, canEdit = true, userRole, sharedBy } = workflow;
  const actions = useWorkflowActions();
  return (
    <Menu trigger={<IconButton icon={Ellipsis} size="s" label={messages.actionsOf(name)} />}>
      <MenuItem icon={SquareArrowOutUpRight} onSelect={() => location.assign(`/flow/${id}`)}>
        {messages.open}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => actions.duplicate(workflow)}>
        {messages.duplicate}
      </MenuItem>
      <MenuItem
        icon={FolderInput}
        isDisabled={!canEdit || sharedBy !== undefined}
        onSelect={() => onOpen({ kind: 'move', workflow })}
      >
        {messages.move}
      </MenuItem>
      {callerCount > 0 && (
        <MenuItem icon={Component} onSelect={() => onOpen({ kind: 'uses', workflow })}>
          {messages.showUsages}
        </MenuItem>
      )}
      <MenuItem icon={Download} onSelect={() => location.assign(`/api/v1/workflows/${id}/export`)}>
        {messages.export}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        icon={Trash}
        isDangerous
        isDisabled={userRole !== 'OWNER'}
        onSelect={() => actions.remove(workflow, () => onOpen({ kind: 'delete', workflow }))}
      >
        {messages.delete}
      </MenuItem>
    </Menu>
  );
}

export interface FolderMenuProps {
  readonly name: string;
  readonly onAction: (kind: 'rename' | 'remove') => void;
}

export function FolderMenu({ name, onAction }: FolderMenuProps) {
  return (
    <Menu trigger={<IconButton icon={Ellipsis} size="s" label={messages.actionsOfFolder(name)} />}>
      <MenuItem onSelect={() => onAction('rename')}>{messages.renameFolder}</MenuItem>
      <MenuItem isDangerous onSelect={() => onAction('remove')}>
        {messages.deleteFolder}
      </MenuItem>
    </Menu>
  );
}
