// Exports the menus of workflows and folders, which load when users point to their buttons.

import Ellipsis from 'icon:ellipsis';
import { IconButton } from '../../kit/button.tsx';
import { lazyMenu } from '../../kit/lazy-menu.tsx';
import { messages } from './messages.ts';
import type { FolderMenuProps, WorkflowMenuProps } from './workflow-menu.tsx';

export const WorkflowMenu = lazyMenu<WorkflowMenuProps>(
  async () => (await import('./workflow-menu.tsx')).WorkflowMenu,
  ({ workflow }, button) => (
    <IconButton icon={Ellipsis} size="s" label={messages.actionsOf(workflow.name)} {...button} />
  ),
);
export const FolderMenu = lazyMenu<FolderMenuProps>(
  async () => (await import('./workflow-menu.tsx')).FolderMenu,
  ({ name }, button) => (
    <IconButton icon={Ellipsis} size="s" label={messages.actionsOfFolder(name)} {...button} />
  ),
);
