// Renders the context menu of the board and its nodes, opened by right click, long press or a key.
import { useMemo, useRef } from 'react';
import { messages } from '../flow-messages.ts';
import { MenuAt, MenuItem } from '../kit/menu.tsx';
import { useEditor, useView } from '../session/editor-context.tsx';
import { getCommand } from './commands.ts';
import { MenuKeys } from './shortcut.tsx';

const NODE_COMMANDS = [
  'run-to',
  'variations',
  'compare-settings',
  'bypass',
  'replace-model',
  'copy',
  'cut',
  'duplicate',
  'group',
  'ungroup',
  'open-component',
  'make-component',
  'unpack',
  'delete-and-reconnect',
  'align-left',
  'align-top',
  'delete',
];
const BOARD_COMMANDS = [
  'add',
  'library',
  'paste',
  'select-all',
  'box-select',
  'lasso-select',
  'arrange',
  'fit',
];

export function BoardMenu() {
  const editor = useEditor();
  const menu = useView(state => state.menu);
  const opener = useRef<Element>(null);
  // Runs before the menu takes the focus.
  useMemo(() => {
    if (menu !== undefined) opener.current = document.activeElement;
  }, [menu]);
  const close = (): void => editor.view.setState({ menu: undefined });
  const returnFocus = (): void => {
    if (
      opener.current instanceof HTMLElement &&
      opener.current.closest('[data-node-id], [aria-haspopup="menu"]')
    )
      opener.current.focus();
    else editor.canvas.current?.focus();
  };
  const commands = (menu?.isOnNode ? NODE_COMMANDS : BOARD_COMMANDS)
    .map(getCommand)
    .filter(({ isAvailable }) => isAvailable?.(editor) !== false);
  return (
    <MenuAt label={messages.flow.menu} position={menu?.position} onClose={close} onEscape={returnFocus}>
      {commands.map(({ id, label, keys, run }) => (
        <MenuItem
          key={id}
          onSelect={() => {
            close();
            returnFocus();
            run(editor);
          }}
        >
          {label}
          <MenuKeys keys={keys[0]} />
        </MenuItem>
      ))}
    </MenuAt>
  );
}
