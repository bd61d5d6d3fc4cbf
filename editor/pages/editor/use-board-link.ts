// Continues with a result when the user comes from another page, such as that of a run, by one of the result's actions.
import { useEffect } from 'react';
import { showError } from '../../kit/failure.tsx';
import { useEditor } from '../../session/editor-context.tsx';

export function useBoardLink(): void {
  const editor = useEditor();
  useEffect(() => {
    // The parameter that `session/results/board-link.ts` writes. The rest loads only if it is there.
    if (!location.search.includes('then=')) return;
    import('../../session/results/follow-board-link.ts')
      .then(({ followBoardLink }) => followBoardLink(editor))
      .catch(showError);
  }, [editor]);
}
