// What others change is marked for a moment on the nodes, with their name, and read aloud.
import { useEffect } from 'react';
import { compareBoards } from '../../board/difference.ts';
import { useEditor } from '../../board/editor-context.tsx';
import { messages } from '../../flow-messages.ts';
import { useSession } from '../../lib/session.ts';

const SHOWN_MS = 5000;
/** More names than these would not be listened to. */
const MAX_NAMES = 3;

export function useTouched(): void {
  const { session, view } = useEditor();
  const { user } = useSession();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = session.store.subscribe((now, before) => {
      // What is no step of this person came from elsewhere.
      if (now.board === before.board || now.history !== before.history) return;
      const { fates } = compareBoards(before.board, now.board);
      if (fates.size === 0) return;
      const others = session.others.getState().users.filter(({ userId }) => userId !== user.userId);
      const by = others.length === 1 ? (others[0]?.name ?? '') : messages.flow.somebody;
      const labels = now.board.nodes.filter(({ id }) => fates.has(id)).map(({ data }) => data.label);
      view.setState({
        touched: { by, ids: new Set(fates.keys()) },
        announcement: messages.flow.touched(by, labels.slice(0, MAX_NAMES).join(', ')),
      });
      clearTimeout(timer);
      timer = setTimeout(() => view.setState({ touched: undefined }), SHOWN_MS);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [session, view, user.userId]);
}
