// Renders the first steps on a board, and stores which of them the user has done.
import { useEffect, useState } from 'react';
import { getCommand } from '../../canvas/commands.ts';
import { FirstSteps } from '../../frame/first-steps.tsx';
import { FIRST_STEPS, type FirstStep, finishFirstStep } from '../../lib/first-steps.ts';
import { useBoard, useEditor, useRun, useView } from '../../session/editor-context.tsx';

export function BoardFirstSteps({ isPhone }: { readonly isPhone: boolean }) {
  const editor = useEditor();
  const { session, canvas } = editor;
  const { store, catalog } = session;
  const [initialConfigs] = useState(
    () => new Map(store.getState().board.nodes.map(({ id, data }) => [id, data.config])),
  );
  const isDone: Readonly<Record<FirstStep, boolean>> = {
    run: useRun(({ run }) => run !== undefined),
    words: useBoard(({ board }) =>
      board.nodes.some(({ id, data }) => initialConfigs.has(id) && initialConfigs.get(id) !== data.config),
    ),
    provider: catalog.entries.some(
      ({ executionCost, isAvailable }) => executionCost === 'paid' && isAvailable !== false,
    ),
    code: useView(({ panel }) => panel?.kind === 'export'),
  };
  const doneSteps = FIRST_STEPS.filter(step => isDone[step]);
  const key = doneSteps.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names the steps
  useEffect(() => {
    for (const step of doneSteps) finishFirstStep(step);
  }, [key]);
  const editWords = (): void => {
    const node = store.getState().board.nodes.find(({ data }) => data.nodeType === 'input:text');
    if (node === undefined) return;
    store.actions.select([node.id]);
    canvas.current?.focusNode(node.id);
  };
  return (
    <FirstSteps
      isExpanded={!isPhone}
      isRow
      actions={{
        run: () => void getCommand('run').run(editor),
        words: editWords,
        code: () => void getCommand('export').run(editor),
      }}
    />
  );
}
