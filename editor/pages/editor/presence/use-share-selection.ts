// Sends the selected nodes to other users who have the workflow open. Sends nothing while this user is alone.
import { useEffect } from 'react';
import { findNodeIndex } from '../../../board/board.ts';
import { api } from '../../../lib/api.ts';
import { useSession } from '../../../lib/session.ts';
import { useEditor } from '../../../session/editor-context.tsx';

const THROTTLE_MS = 600;
/** The service accepts at most this many nodes. */
const MAX_NODES = 20;

export function useShareSelection(): void {
  const { session } = useEditor();
  const { user } = useSession();
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastSent = '[]';
    const share = (): void => {
      timer = undefined;
      const isAlone = session.presence.getState().users.every(({ userId }) => userId === user.userId);
      const { board, selection } = session.store.getState();
      const nodeIds = [...selection].filter(id => findNodeIndex(board, id) !== undefined).slice(0, MAX_NODES);
      const text = JSON.stringify(nodeIds);
      if (isAlone || text === lastSent) return;
      lastSent = text;
      // Best effort: the next request replaces a failed one.
      api
        .put(`/workflows/${session.id}/selection`, { nodeIds }, { signal: controller.signal })
        .catch(() => undefined);
    };
    const schedule = (): void => {
      timer ??= setTimeout(share, THROTTLE_MS);
    };
    const unsubscribers = [
      session.store.subscribe((now, before) => now.selection === before.selection || schedule()),
      session.presence.subscribe(schedule),
    ];
    return () => {
      controller.abort();
      clearTimeout(timer);
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }, [session, user.userId]);
}
