// Remembers the URL of each node type's latest result, as its image in the palette.
import { useEffect } from 'react';
import { findNode } from '../../board/board.ts';
import { getMediaKind } from '../../kit/media-view.tsx';
import { useEditor } from '../../runs/editor-context.tsx';
import { getResults } from '../../runs/results.ts';
import { keepPictures } from './recent.ts';

export function useLastPictures(): void {
  const { runs, session } = useEditor();
  useEffect(
    () =>
      runs.subscribe((now, before) => {
        if (now.nodes === before.nodes) return;
        const { board } = session.store.getState();
        const made = [...now.nodes].flatMap(([nodeId, state]): [string, string][] => {
          if (state.status !== 'COMPLETED' || state === before.nodes.get(nodeId)) return [];
          const node = findNode(board, nodeId);
          const url = pictureIn(getResults(state));
          return node === undefined || url === undefined ? [] : [[node.data.nodeType, url]];
        });
        if (made.length > 0) keepPictures(made);
      }),
    [runs, session],
  );
}

/** The image, or the poster of a video. */
function pictureIn(results: ReturnType<typeof getResults>): string | undefined {
  for (const result of results) {
    if (result.kind !== 'media') continue;
    if (getMediaKind(result) === 'image') return result.url;
    if (result.posterUrl !== undefined) return result.posterUrl;
  }
  return undefined;
}
