// Renders the menus of the toolbar: run options, and the tools of a narrow window.

import ChevronDown from 'icon:chevron-down';
import Ellipsis from 'icon:ellipsis';
import Compare from 'icon:git-compare-arrows';
import Play from 'icon:play';
import Table from 'icon:table-2';
import { getCommand } from '../../../canvas/commands.ts';
import { messages } from '../../../flow-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import { useEditor } from '../../../session/editor-context.tsx';
import type { Tool } from './toolbar.tsx';

const RUN_OPTIONS = [
  { icon: Play, ...getCommand('run') },
  { icon: Table, ...getCommand('run-table') },
  { icon: Compare, ...getCommand('compare-settings') },
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
      {RUN_OPTIONS.map(({ id, icon, label, run }) => (
        <MenuItem key={id} icon={icon} onSelect={() => run(editor)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

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
