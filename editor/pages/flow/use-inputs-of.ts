// Applies the inputs of an earlier run as one undo step.

import { messages } from '../../flow-messages.ts';
import { toErrorMessage } from '../../kit/failure.tsx';
import { showToast } from '../../lib/toasts.ts';
import { useEditor } from '../../runs/editor-context.tsx';
import { createInputChanges } from '../../runs/use-inputs.ts';

const runsMessages = messages.flow.runs;

export function useInputsOf(): (executionId: string) => Promise<void> {
  const { store } = useEditor().session;
  return async executionId => {
    try {
      const changes = await createInputChanges(store.getState().board, executionId);
      store.actions.perform(messages.flow.edits.inputs, changes);
      const undo = { label: messages.common.undo, run: () => store.actions.undo() };
      showToast(
        changes.length === 0 ? runsMessages.sameInputs : runsMessages.usedInputs,
        changes.length === 0 ? {} : { action: undo },
      );
    } catch (error) {
      showToast(toErrorMessage(error), { tone: 'failed' });
    }
  };
}
