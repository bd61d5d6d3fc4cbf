// Renders one setting of a node: the control for its type, validation, and reset to default.

import Undo from 'icon:undo-2';
import { memo, type ReactNode } from 'react';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import { findProblem } from '../../../../src/graph/fields.ts';
import type { GraphNode, Json } from '../../../../src/graph/types.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { setConfig } from '../../../board/edits.ts';
import { messages } from '../../../flow-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { useBoard, useEditor } from '../../../runs/editor-context.tsx';
import { CONTROLS, type ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const flowMessages = messages.flow;

interface InputFieldProps {
  readonly node: GraphNode;
  readonly input: InputDef;
}

export const InputField = memo(function InputField({ node, input }: InputFieldProps) {
  const { store, catalog } = useEditor().session;
  const sourceLabel = useSourceLabel(node.id, input);
  if (sourceLabel !== undefined)
    return <ConnectedInput input={input}>{flowMessages.connectedTo(sourceLabel)}</ConnectedInput>;
  const kind = getControlKind(input);
  if (kind === undefined)
    return (
      <ConnectedInput input={input}>
        {input.required ? flowMessages.notConnected : flowMessages.connectedInput}
      </ConnectedInput>
    );
  const value = node.data.config?.[input.id];
  const isChanged = value !== undefined;
  const change = (newValue: Json | undefined): void =>
    store.actions.perform(
      flowMessages.edits.set(input.label),
      setConfig(store.getState().board, catalog, node.id, { [input.id]: newValue }),
      `set ${node.id} ${input.id}`,
    );
  const Control: (props: ControlProps) => ReactNode = CONTROLS[kind];
  const problem = isChanged ? findProblem(value, input) : undefined;
  return (
    <div className={styles.field} data-input={input.id} data-changed={isChanged || undefined}>
      <Control
        node={node}
        input={input}
        value={value}
        error={problem === undefined ? undefined : flowMessages.mustBe(problem)}
        hint={input.description}
        onChange={change}
      />
      {isChanged && (
        <span className={styles.reset}>
          <IconButton
            size="s"
            icon={Undo}
            label={flowMessages.reset(input.label)}
            onClick={() => change(undefined)}
          />
        </span>
      )}
    </div>
  );
});

function ConnectedInput({ input, children }: { readonly input: InputDef; readonly children: ReactNode }) {
  return (
    <div className={styles.fed}>
      <span>{input.label}</span>
      <span>{children}</span>
    </div>
  );
}

/** Returns the label of the node connected to the port. */
function useSourceLabel(nodeId: string, { id, isPort }: InputDef): string | undefined {
  return useBoard(({ board }) => {
    if (!isPort) return undefined;
    const edge = board.edges.find(
      ({ target, targetHandle }) => target === nodeId && targetHandle === `in-${id}`,
    );
    return edge && board.nodes.find(node => node.id === edge.source)?.data.label;
  });
}
