// Saves the latest result image of each node type for the palette and the model picker.
import { useEffect } from 'react';
import { findNode } from '../../../board/board.ts';
import { getMediaKind } from '../../../kit/media-kind.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { getResults } from '../../../session/runs/results.ts';
import { saveResultImages } from './palette-storage.ts';

export function useResultImages(): void {
  const { runs, session } = useEditor();
  useEffect(
    () =>
      runs.subscribe((now, before) => {
        if (now.nodeDisplays === before.nodeDisplays) return;
        const { board } = session.store.getState();
        const newImages = [...now.nodeDisplays].flatMap(([nodeId, state]): [string, string][] => {
          // The node may have had another type when it made an outdated result.
          if (state.status !== 'COMPLETED' || state.isOutdated) return [];
          const previous = before.nodeDisplays.get(nodeId);
          if (previous?.executionId === state.executionId && previous?.status === state.status) return [];
          const node = findNode(board, nodeId);
          const url = findImageUrl(getResults(state));
          return node === undefined || url === undefined ? [] : [[node.data.nodeType, url]];
        });
        if (newImages.length > 0) saveResultImages(newImages);
      }),
    [runs, session],
  );
}

/** Returns the first image, or the poster of the first video. */
function findImageUrl(results: ReturnType<typeof getResults>): string | undefined {
  for (const result of results) {
    if (result.kind !== 'media') continue;
    if (getMediaKind(result) === 'image') return result.url;
    if (result.posterUrl !== undefined) return result.posterUrl;
  }
  return undefined;
}
