// Continues with a result when the user comes from another page, such as that of a run, by one of the result's actions.
import { useEffect } from 'react';
import { showError } from '../../kit/failure.tsx';
import { useEditor } from '../../session/editor-context.tsx';
import { parseBoardLink } from '../../session/results/board-link.ts';

export function useBoardLink(): void {
  const editor = useEditor();
  useEffect(() => {
    const parsed = parseBoardLink(location.search);
    if (parsed === undefined) return;
    // Otherwise a reload would do it again.
    history.replaceState(history.state, '', location.pathname + parsed.search);
    import('../../session/results/follow-board-link.ts')
      .then(({ followBoardLink }) => followBoardLink(editor, parsed.link))
      .catch(showError);
  }, [editor]);
}
