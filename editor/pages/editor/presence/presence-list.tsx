// Renders the initials of other users who have the workflow open.
import { useStore } from 'zustand';
import { toHue } from '../../../board/service-events.ts';
import { messages } from '../../../flow-messages.ts';
import { VisuallyHidden } from '../../../kit/visually-hidden.tsx';
import { useSession } from '../../../lib/session.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import styles from './presence-list.module.css';

const MAX_SHOWN_USERS = 4;

export function PresenceList() {
  const { session } = useEditor();
  const { user } = useSession();
  const users = useStore(session.presence, state => state.users);
  const otherUsers = users.filter(({ userId }) => userId !== user.userId);
  if (otherUsers.length === 0) return null;
  return (
    <ul className={styles.others} aria-label={messages.flow.others}>
      {otherUsers.slice(0, MAX_SHOWN_USERS).map(({ userId, name }) => (
        <li key={userId} title={name} style={{ '--hue': toHue(userId) } as React.CSSProperties}>
          <span aria-hidden>{toInitials(name)}</span>
          <VisuallyHidden>{name}</VisuallyHidden>
        </li>
      ))}
      {otherUsers.length > MAX_SHOWN_USERS && <li>+{otherUsers.length - MAX_SHOWN_USERS}</li>}
    </ul>
  );
}

const toInitials = (name: string): string =>
  name
    .split(/\s+/)
    .map(word => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase();
