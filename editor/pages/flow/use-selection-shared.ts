// Shows others which nodes are selected here. Throttled, and sent only while someone else is present.
import { useEffect } from 'react';
import { findNodeIndex } from '../../board/board.ts';
import { api } from '../../lib/api.ts';
import { useSession } from '../../lib/session.ts';
import { useEditor } from '../../runs/editor-context.tsx';

const PAUSE_MS = 600;
/** The limit of the service. */
const MAX_NODES = 20;

export function useSelectionShared(): void {
  const { session } = useEditor();
  const { user } = useSession();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let sent = '[]';
    const share = (): void => {
      timer = undefined;
      const isAlone = session.presence.getState().users.every(({ userId }) => userId === user.userId);
      const { board, selection } = session.store.getState();
      const nodeIds = [...selection].filter(id => findNodeIndex(board, id) !== undefined).slice(0, MAX_NODES);
      const text = JSON.stringify(nodeIds);
      if (isAlone || text === sent) return;
      sent = text;
      // Best effort: the next update replaces a lost one.
      api
        .put(`/workflows/${session.id}/selection`, { nodeIds }, { signal: stop.signal })
        .catch(() => undefined);
    };
    const plan = (): void => {
      timer ??= setTimeout(share, PAUSE_MS);
    };
    const leave = [
      session.store.subscribe((now, before) => now.selection === before.selection || plan()),
      session.presence.subscribe(plan),
    ];
    return () => {
      stop.abort();
      clearTimeout(timer);
      for (const unsubscribe of leave) unsubscribe();
    };
  }, [session, user.userId]);
}
