// Renders the actions of a folder.

import Ellipsis from 'icon:ellipsis';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { messages } from './messages.ts';

export interface FolderMenuProps {
  readonly name: string;
  readonly onAsk: (kind: 'rename' | 'remove') => void;
}

export function FolderMenu({ name, onAsk }: FolderMenuProps) {
  return (
    <Menu trigger={<IconButton icon={Ellipsis} size="s" label={messages.actionsOfFolder(name)} />}>
      <MenuItem onSelect={() => onAsk('rename')}>{messages.renameFolder}</MenuItem>
      <MenuItem isDangerous onSelect={() => onAsk('remove')}>
        {messages.removeFolder}
      </MenuItem>
    </Menu>
  );
}
