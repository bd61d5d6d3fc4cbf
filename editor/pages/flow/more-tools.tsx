// Renders the tools of a narrow window as a menu.

import Ellipsis from 'icon:ellipsis';
import { getCommand } from '../../canvas/commands.ts';
import { messages } from '../../flow-messages.ts';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { useEditor } from '../../runs/editor-context.tsx';
import type { Tool } from './toolbar.tsx';

export function MoreTools({ tools }: { readonly tools: readonly Tool[] }) {
  const editor = useEditor();
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={messages.flow.tools.more} />}>
      {tools.map(({ id, icon, label, isDisabled = false }) => (
        <MenuItem key={id} icon={icon} isDisabled={isDisabled} onSelect={() => getCommand(id).run(editor)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
