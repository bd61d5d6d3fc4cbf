// Renders the menu beside the run button.

import ChevronDown from 'icon:chevron-down';
import Play from 'icon:play';
import Table from 'icon:table-2';
import { getCommand } from '../../canvas/commands.ts';
import { messages } from '../../flow-messages.ts';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { useEditor } from '../../runs/editor-context.tsx';

const OPTIONS = [
  { icon: Play, ...getCommand('run') },
  { icon: Table, ...getCommand('run-table') },
];

export function RunMenu({ isDisabled }: { readonly isDisabled: boolean }) {
  const editor = useEditor();
  return (
    <Menu
      trigger={
        <IconButton
          variant="primary"
          icon={ChevronDown}
          label={messages.flow.tools.runOptions}
          disabled={isDisabled}
        />
      }
    >
      {OPTIONS.map(({ id, icon, label, run }) => (
        <MenuItem key={id} icon={icon} onSelect={() => run(editor)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
