// Renders the keys of a shortcut.
import { messages } from '../flow-messages.ts';
import styles from './shortcut.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const KEY_NAMES: Readonly<Record<string, string>> = isMac ? { Mod: '⌘', Shift: '⇧' } : { Mod: 'Ctrl' };

export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className={styles.keys}>
      {keys.split('+').map(key => (
        <kbd key={key}>{KEY_NAMES[key] ?? messages.flow.keyNames[key] ?? key}</kbd>
      ))}
    </span>
  );
}

/** Renders the keys at the end of a menu item, whose name does not include them. */
export function MenuKeys({ keys }: { readonly keys: string | undefined }) {
  if (keys === undefined) return null;
  return (
    <span className={styles.inMenu} aria-hidden>
      <Keys keys={keys} />
    </span>
  );
}
