// Renders the list of keyboard shortcuts.

import { COMMANDS } from '../../../canvas/commands.ts';
import { Keys } from '../../../canvas/shortcut.tsx';
import { messages } from '../../../flow-messages.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { MORE_KEYS } from './key-messages.ts';
import styles from './keys.module.css';

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const commands = COMMANDS.filter(({ keys }) => keys.length > 0).map(({ id, label, keys }) => ({
    id,
    label,
    keys: keys[0] ?? '',
  }));
  return (
    <Dialog title={messages.flow.commands.keys} onClose={onClose}>
      <dl className={styles.list}>
        {[...commands, ...MORE_KEYS].map(({ id, label, keys }) => (
          <div key={id}>
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
