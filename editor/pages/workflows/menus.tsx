// Exports the menus of workflows and folders, which load after the first paint.

import Ellipsis from 'icon:ellipsis';
import { IconButton } from '../../kit/button.tsx';
import '../../kit/menu.module.css';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { messages } from './messages.ts';
import type { FolderMenuProps, WorkflowMenuProps } from './workflow-menu.tsx';

export const WorkflowMenu = lazyComponent<WorkflowMenuProps>(
  async () => (await import('./workflow-menu.tsx')).WorkflowMenu,
  ({ workflow }) => <Pending label={messages.actionsOf(workflow.name)} />,
);
export const FolderMenu = lazyComponent<FolderMenuProps>(
  async () => (await import('./workflow-menu.tsx')).FolderMenu,
  ({ name }) => <Pending label={messages.actionsOfFolder(name)} />,
);

function Pending({ label }: { readonly label: string }) {
  return <IconButton icon={Ellipsis} size="s" label={label} disabled />;
}
