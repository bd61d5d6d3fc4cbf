// Renders the actions of a folder.

import Ellipsis from 'icon:ellipsis';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { texts } from './messages.ts';

export interface FolderMenuProps {
  readonly name: string;
  readonly onAsk: (kind: 'rename' | 'remove') => void;
}

export function FolderMenu({ name, onAsk }: FolderMenuProps) {
  return (
    <Menu trigger={<IconButton icon={Ellipsis} size="s" label={texts.actionsOfFolder(name)} />}>
      <MenuItem onSelect={() => onAsk('rename')}>{texts.renameFolder}</MenuItem>
      <MenuItem isDangerous onSelect={() => onAsk('remove')}>
        {texts.removeFolder}
      </MenuItem>
    </Menu>
  );
}
