// Highlights nodes for a moment when they are changed elsewhere, and announces the change to screen readers.
import { useEffect } from 'react';
import { compareBoards } from '../../../board/difference.ts';
import { findOtherAuthor } from '../../../board/service-events.ts';
import { messages } from '../../../flow-messages.ts';
import { useSession } from '../../../lib/session.ts';
import { useEditor } from '../../../session/editor-context.tsx';

const SHOWN_MS = 5000;
/** More names would be too long for a screen reader announcement. */
const MAX_NAMES = 3;

export function useRemoteChanges(): void {
  const { session, view } = useEditor();
  const { user } = useSession();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = session.store.subscribe((now, before) => {
      const change = now.changeOfOthers;
      if (change === undefined || change === before.changeOfOthers) return;
      const { statuses } = compareBoards(change.before, change.after);
      if (statuses.size === 0) return;
      const name = findOtherAuthor(
        session.presence.getState(),
        session.saver.base.info.updatedAt,
        user.userId,
      );
      const labels = now.board.nodes.filter(({ id }) => statuses.has(id)).map(({ data }) => data.label);
      view.setState({
        changedByOthers: { name: name ?? messages.flow.elsewhere, ids: new Set(statuses.keys()) },
        announcement: messages.flow.changedByOthers(name, labels.slice(0, MAX_NAMES).join(', ')),
      });
      clearTimeout(timer);
      timer = setTimeout(() => view.setState({ changedByOthers: undefined }), SHOWN_MS);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [session, view, user.userId]);
}
