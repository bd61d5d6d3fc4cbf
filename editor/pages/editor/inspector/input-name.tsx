// Edits the name of an input, by which requests set it.
import { useState } from 'react';
import { getInputNames, isInputName, MAX_NAME_LENGTH } from '../../../../src/graph/input-names.ts';
import type { GraphNode } from '../../../../src/graph/types.ts';
import { setData } from '../../../board/edits.ts';
import { messages } from '../../../flow-messages.ts';
import { TextField } from '../../../kit/field.tsx';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';

const { inputName } = messages.flow;

/** Renders the name. The field keeps an invalid text until it loses the focus; the board keeps the last valid name. */
export function InputName({ node: { id } }: { readonly node: GraphNode }) {
  const { store } = useEditor().session;
  const nodes = useBoard(({ board }) => board.nodes);
  const names = getInputNames(nodes);
  const [draft, setDraft] = useState<string>();
  const isTaken = (name: string): boolean =>
    [...names].some(([other, otherName]) => other !== id && (other === name || otherName === name));
  const findError = (name: string): string | undefined => {
    if (!isInputName(name)) return inputName.invalid;
    return isTaken(name) ? inputName.taken : undefined;
  };
  const change = (text: string): void => {
    setDraft(text);
    if (findError(text) !== undefined) return;
    store.actions.perform(inputName.edit, setData(store.getState().board, id, { name: text }), `name ${id}`);
  };
  return (
    <TextField
      label={inputName.label}
      hint={inputName.hint}
      error={draft === undefined ? undefined : findError(draft)}
      value={draft ?? names.get(id) ?? ''}
      maxLength={MAX_NAME_LENGTH}
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => change(target.value)}
      onBlur={() => setDraft(undefined)}
    />
  );
}
