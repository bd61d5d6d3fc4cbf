// Renders the context menu of the board and its nodes, opened by right click or long press.
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { messages } from '../flow-messages.ts';
import { useEditor, useView, type View } from '../session/editor-context.tsx';
import styles from './board-menu.module.css';
import { getCommand } from './commands.ts';

const NODE_COMMANDS = [
  'run-to',
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
const KEY_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function BoardMenu() {
  const menu = useView(state => state.menu);
  return menu === undefined ? null : <MenuList {...menu} />;
}

function MenuList({ position, isOnNode }: NonNullable<View['menu']>) {
  const editor = useEditor();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef(document.activeElement);
  useEffect(() => {
    keepInViewport(list.current);
    list.current?.querySelector('button')?.focus();
    const closeOnOutsidePress = ({ target }: Event): void => {
      if (!(target instanceof Node) || !list.current?.contains(target))
        editor.view.setState({ menu: undefined });
    };
    window.addEventListener('pointerdown', closeOnOutsidePress, { capture: true });
    return () => window.removeEventListener('pointerdown', closeOnOutsidePress, { capture: true });
  }, [editor]);
  const close = (): void => {
    editor.view.setState({ menu: undefined });
    // If a key opened the menu, the focus returns to the node.
    if (opener.current instanceof HTMLElement && opener.current.closest('[data-node-id]'))
      opener.current.focus();
    else editor.canvas.current?.focus();
  };
  const commands = (isOnNode ? NODE_COMMANDS : BOARD_COMMANDS)
    .map(getCommand)
    .filter(({ isAvailable }) => isAvailable?.(editor) !== false);
  return (
    <div
      ref={list}
      role="menu"
      aria-label={messages.flow.menu}
      className={`${styles.menu} nopan nowheel`}
      style={{ left: position.x, top: position.y }}
      onKeyDown={event => handleMenuKey(event, close)}
      data-own-pointer
    >
      {commands.map(({ id, label, run }) => (
        <button
          key={id}
          type="button"
          role="menuitem"
          className={styles.item}
          onClick={() => {
            close();
            run(editor);
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

function handleMenuKey(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  event.stopPropagation();
  const step = KEY_STEPS[event.key];
  if (event.key === 'Escape' || event.key === 'Tab') close();
  else if (step !== undefined) {
    const items = [...event.currentTarget.querySelectorAll('button')];
    const index = items.indexOf(document.activeElement as HTMLButtonElement);
    items[(index + step + items.length) % items.length]?.focus();
  } else return;
  event.preventDefault();
}

/** Moves the menu so that it is completely visible. */
function keepInViewport(element: HTMLElement | null): void {
  if (element === null) return;
  const { right, bottom } = element.getBoundingClientRect();
  const [x, y] = [Math.min(0, innerWidth - right - 8), Math.min(0, innerHeight - bottom - 8)];
  element.style.translate = `${x}px ${y}px`;
}
