// Formats shortcuts for the user's platform.
import { messages } from '../../flow-messages.ts';
import styles from './keys.module.css';

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
