// Renders one setting of a node: the control for its type, validation, and reset to default.

import Undo from 'icon:undo-2';
import { type ComponentType, memo, type ReactNode } from 'react';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import { findFieldProblem } from '../../../../src/graph/fields.ts';
import type { GraphNode, Json } from '../../../../src/graph/types.ts';
import { findNode } from '../../../board/board.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { setConfig } from '../../../board/edits.ts';
import { findInputNodeType, placeInputNode, removeEmptyInput } from '../../../board/placement.ts';
import { findIncomingEdge } from '../../../board/wiring.ts';
import { messages } from '../../../flow-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';
import { CONTROLS, type ControlProps } from './controls.tsx';
import styles from './inspector.module.css';
import { useTemplatePort } from './use-template.ts';

const flowMessages = messages.flow;

interface InputFieldProps {
  readonly node: GraphNode;
  readonly input: InputDef;
}

export const InputField = memo(function InputField({ node, input }: InputFieldProps) {
  const { store, catalog } = useEditor().session;
  const source = useSource(node.id, input);
  const kind = getControlKind(input);
  const sourceType = kind === undefined && input.isPort ? findInputNodeType(input) : undefined;
  if (sourceType !== undefined && (source === undefined || source.data.nodeType === sourceType.nodeType))
    return <SourceField node={node} input={input} source={source} />;
  if (source !== undefined)
    return <ConnectedInput label={input.label}>{flowMessages.connectedTo(source.data.label)}</ConnectedInput>;
  if (kind === undefined)
    return <ConnectedInput label={input.label}>{flowMessages.notConnected}</ConnectedInput>;
  const value = node.data.config?.[input.id];
  const isChanged = value !== undefined;
  const change = (newValue: Json | undefined): void =>
    store.actions.perform(
      flowMessages.edits.set(input.label),
      setConfig(store.getState().board, catalog, node.id, { [input.id]: newValue }),
      `set ${node.id} ${input.id}`,
    );
  const Control: ComponentType<ControlProps> = CONTROLS[kind];
  const problem = isChanged ? findFieldProblem(value, input) : undefined;
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

/** Renders the source of a connected input in place of its field. */
export function ConnectedInput({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.connected}>
      <span>{label}</span>
      <span>{children}</span>
    </div>
  );
}

interface SourceFieldProps extends InputFieldProps {
  readonly source: GraphNode | undefined;
}

/** Renders an input that only a connection can set. Edits the value of the connected input node, or adds one. */
function SourceField({ node, input, source }: SourceFieldProps) {
  const { session } = useEditor();
  const describedInput = { ...input, ...useTemplatePort(node, input.id) };
  const sourceType = findInputNodeType(input);
  if (sourceType === undefined) return null;
  const { nodeType, key } = sourceType;
  const type = nodeType.slice('input:'.length);
  const change = (value: Json | undefined): void => {
    const { board } = session.store.getState();
    const setValue = (sourceId: string) =>
      setConfig(board, session.catalog, sourceId, {
        [key]: value,
        ...(key === 'url' ? { mediaId: undefined } : {}),
      });
    const isEmpty = value === undefined || value === '';
    if (source === undefined && isEmpty) return;
    const changes =
      source === undefined
        ? placeInputNode(session, node, input, value ?? '')
        : ((isEmpty ? removeEmptyInput(board, source, input) : undefined) ?? setValue(source.id));
    session.store.actions.perform(flowMessages.edits.set(input.label), changes, `set ${node.id} ${input.id}`);
  };
  const Control: ComponentType<ControlProps> =
    key === 'url' ? CONTROLS.media : CONTROLS[type as 'text' | 'number' | 'json'];
  return (
    <div className={styles.field} data-input={input.id}>
      <Control
        node={node}
        input={describedInput}
        value={source?.data.config?.[key]}
        hint={describeSourceField(describedInput, source)}
        mediaKind={key === 'url' ? type : undefined}
        onChange={change}
      />
    </div>
  );
}

/** Describes the input, and which node the field edits or adds. */
function describeSourceField(
  { type, required, description }: InputDef,
  source: GraphNode | undefined,
): string {
  const note =
    source === undefined
      ? flowMessages.addsNode(flowMessages.inputKinds[type] ?? type, required === true)
      : flowMessages.editsNode(source.data.label);
  return description === undefined ? note : `${description} ${note}`;
}

/** Returns the node connected to the port. */
export function useSource(
  nodeId: string,
  { id, isPort }: Pick<InputDef, 'id' | 'isPort'>,
): GraphNode | undefined {
  const { catalog } = useEditor().session;
  return useBoard(({ board }) => {
    if (!isPort) return undefined;
    const edge = findIncomingEdge(board, catalog, nodeId, id);
    return edge && findNode(board, edge.source);
  });
}
