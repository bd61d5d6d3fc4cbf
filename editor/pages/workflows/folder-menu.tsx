// Renders the actions of a folder.

import Ellipsis from 'icon:ellipsis';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { messages } from './messages.ts';

export interface FolderMenuProps {
  readonly name: string;
  readonly onAction: (kind: 'rename' | 'remove') => void;
}

export function FolderMenu({ name, onAction }: FolderMenuProps) {
  return (
    <Menu trigger={<IconButton icon={Ellipsis} size="s" label={messages.actionsOfFolder(name)} />}>
      <MenuItem onSelect={() => onAction('rename')}>{messages.renameFolder}</MenuItem>
      <MenuItem isDangerous onSelect={() => onAction('remove')}>
        {messages.removeFolder}
      </MenuItem>
    </Menu>
  );
}
