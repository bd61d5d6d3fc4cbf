// Follows the values of the inputs that are connected to a video.
import { useMemo } from 'react';
import { useBoard, useEditor, useRun } from '../../../session/editor-context.tsx';
import { collectPreviewValues, type PreviewValues } from './preview-values.ts';

export function usePreviewValues(nodeId: string): PreviewValues {
  const { catalog } = useEditor().session;
  const board = useBoard(state => state.board);
  const displays = useRun(state => state.nodeDisplays);
  return useMemo(
    () => collectPreviewValues(board, catalog, nodeId, displays),
    [board, catalog, nodeId, displays],
  );
}
