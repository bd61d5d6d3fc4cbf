// Shows the names of other users at the node that they have selected.
import { useStore } from 'zustand';
import { toHue } from '../board/service-events.ts';
import { useSession } from '../lib/session.ts';
import { useEditor } from '../session/editor-context.tsx';
import styles from './card.module.css';

/** More names would cover neighboring nodes. */
const MAX_NAMES = 2;

export function PresenceMark({ nodeId }: { readonly nodeId: string }) {
  const { presence } = useEditor().session;
  const { user } = useSession();
  const users = useStore(presence, state => state.usersByNode.get(nodeId));
  const otherUsers = users?.filter(({ userId }) => userId !== user.userId) ?? [];
  const [first] = otherUsers;
  if (first === undefined) return null;
  const names = otherUsers.slice(0, MAX_NAMES).map(({ name }) => name);
  return (
    <span className={styles.presence} style={{ '--hue': toHue(first.userId) } as React.CSSProperties}>
      <span className={styles.presenceNames}>
        {names.join(', ')}
        {otherUsers.length > MAX_NAMES && ` +${otherUsers.length - MAX_NAMES}`}
      </span>
    </span>
  );
}
