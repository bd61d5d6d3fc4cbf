// Renders the form of a node that calls a component: version, input values, and the output whose result the node shows.

import Undo from 'icon:undo-2';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readCall } from '../../../../src/graph/components/calls.ts';
import { type ComponentPort, getComponentPorts } from '../../../../src/graph/config-ports.ts';
import type { GraphNode, Json, JsonObject } from '../../../../src/graph/types.ts';
import { getComponentName, getShownOutput, setCallValue, setShownOutput } from '../../../board/call.ts';
import { getCommand } from '../../../canvas/commands.ts';
import { messages as componentMessages } from '../../../component-messages.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { showError } from '../../../kit/failure.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { api } from '../../../lib/api.ts';
import { applyVersion, openComponent, useNewerVersion } from '../../../session/component-versions.ts';
import { setCallVersion, toGraphQuery } from '../../../session/components.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { CONTROLS, type ControlProps } from './controls.tsx';
import { ConnectedInput, useSource } from './input-field.tsx';
import styles from './inspector.module.css';

const { node: nodeMessages, update: updateMessages, banner } = componentMessages;
const LATEST = 'latest';
const MAX_VERSIONS = 50;

export function ComponentFields({ node }: { readonly node: GraphNode }) {
  const call = readCall(node);
  const inputs = getComponentPorts(node.data.config?.inputs);
  const { data: graph } = useQuery({ ...toGraphQuery(call), enabled: call.workflowId !== '' });
  if (call.workflowId === '')
    return <p className={styles.description}>{nodeMessages.hidden(getComponentName(node))}</p>;
  return (
    <>
      <VersionField node={node} />
      {inputs.map(port => (
        <ValueField
          key={port.id}
          node={node}
          port={port}
          value={call.values[port.id]}
          inputConfig={graph?.nodes.find(({ id }) => id === port.id)?.data.config}
        />
      ))}
      <ShownOutput node={node} />
    </>
  );
}

/** Renders the component's name and version, and the actions on the call. */
function VersionField({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const { workflowId, version } = readCall(node);
  const newerVersion = useNewerVersion(node);
  const { data: versions = [], error } = useQuery({
    queryKey: ['/workflows', workflowId, 'versions', 'newest'],
    queryFn: async ({ signal }) => {
      const path = `/workflows/${encodeURIComponent(workflowId)}/versions` as const;
      const page = await api.get(path, {
        query: { limit: MAX_VERSIONS },
        signal,
      });
      return page.data;
    },
  });
  const currentVersion = versions[0]?.version;
  const numbers = versions.map(item => item.version);
  const listedNumbers = version === LATEST || numbers.includes(version) ? numbers : [...numbers, version];
  const setVersion = (next: number | typeof LATEST): void =>
    void setCallVersion(editor, node.id, next).catch(showError);
  return (
    <section className={styles.component} aria-label={banner.label}>
      <p className={styles.description}>{nodeMessages.about(getComponentName(node))}</p>
      {error !== null && <p className={styles.description}>{nodeMessages.unreadable}</p>}
      <SelectField
        label={nodeMessages.version}
        value={String(version)}
        disabled={versions.length === 0}
        onChange={({ target }) => setVersion(target.value === LATEST ? LATEST : Number(target.value))}
        options={listedNumbers.map(
          number =>
            [
              number,
              number === currentVersion
                ? nodeMessages.currentVersion(number)
                : messages.flow.versions.version(number),
            ] as const,
        )}
      >
        <option value={LATEST}>{nodeMessages.latest}</option>
      </SelectField>
      <div className={styles.runButtons}>
        {newerVersion !== undefined && (
          <Button size="s" onClick={() => applyVersion(editor, node.id, newerVersion)}>
            {updateMessages.apply(newerVersion.version)}
          </Button>
        )}
        <Button size="s" onClick={() => void openComponent(editor, node.id)}>
          {updateMessages.open}
        </Button>
        <Button size="s" onClick={() => getCommand('unpack').run(editor)}>
          {getCommand('unpack').label}
        </Button>
      </div>
    </section>
  );
}

interface ValueFieldProps {
  readonly node: GraphNode;
  readonly port: ComponentPort;
  readonly value: Json | undefined;
  /** The config of the input node in the component, if it is known. */
  readonly inputConfig: JsonObject | undefined;
}

/** Edits the value of an input with the control of the component's input node, whose value is the default. */
function ValueField({ node, port, value, inputConfig }: ValueFieldProps) {
  const { store } = useEditor().session;
  const { id, label, type } = port;
  const source = useSource(node.id, { id, isPort: true });
  if (source !== undefined)
    return <ConnectedInput label={label}>{messages.flow.connectedTo(source.data.label)}</ConnectedInput>;
  const { control, key, mediaKind } = VALUE_CONTROLS[type];
  const Control: (props: ControlProps) => ReactNode = CONTROLS[control];
  const change = (next: Json | undefined): void =>
    store.actions.perform(
      messages.flow.edits.set(label),
      setCallValue(store.getState().board, node.id, id, next === '' && mediaKind ? undefined : next),
      `value ${node.id} ${id}`,
    );
  const fallback = inputConfig?.[key] || inputConfig?.mediaId;
  return (
    <div className={styles.field} data-input={id} data-changed={value !== undefined || undefined}>
      <Control
        node={node}
        input={{
          id: 'value',
          label,
          type,
          isPort: false,
          ...(fallback === undefined ? {} : { default: fallback }),
        }}
        value={mediaKind === undefined ? value : toMediaText(value)}
        hint={port.required && value === undefined ? messages.flow.required : undefined}
        mediaKind={mediaKind}
        onChange={change}
      />
      {value !== undefined && (
        <span className={styles.reset}>
          <IconButton
            size="s"
            icon={Undo}
            label={messages.flow.reset(label)}
            onClick={() => change(undefined)}
          />
        </span>
      )}
    </div>
  );
}

interface ValueControl {
  readonly control: 'text' | 'number' | 'json' | 'list' | 'media';
  /** The setting that holds the value of the component's input node. */
  readonly key: 'value' | 'items' | 'url';
  readonly mediaKind?: 'image' | 'video' | 'audio';
}

/** The control for each type of input. */
const VALUE_CONTROLS: Readonly<Record<ComponentPort['type'], ValueControl>> = {
  TEXT: { control: 'text', key: 'value' },
  NUMBER: { control: 'number', key: 'value' },
  JSON: { control: 'json', key: 'value' },
  ANY: { control: 'json', key: 'value' },
  LIST: { control: 'list', key: 'items' },
  IMAGE: { control: 'media', key: 'url', mediaKind: 'image' },
  VIDEO: { control: 'media', key: 'url', mediaKind: 'video' },
  AUDIO: { control: 'media', key: 'url', mediaKind: 'audio' },
};

/** Returns the URL or id of a media value, which may be an object. */
function toMediaText(value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { url, mediaId } = value as JsonObject;
  return url ?? mediaId;
}

/** Chooses the output whose result the node shows, if there are several. */
function ShownOutput({ node }: { readonly node: GraphNode }) {
  const { store } = useEditor().session;
  const outputs = getComponentPorts(node.data.config?.outputs);
  if (outputs.length < 2) return null;
  return (
    <SelectField
      label={nodeMessages.shownOutput}
      value={getShownOutput(node)?.id}
      onChange={({ target }) =>
        store.actions.perform(
          messages.flow.edits.set(nodeMessages.shownOutput),
          setShownOutput(store.getState().board, node.id, target.value),
        )
      }
      options={outputs.map(({ id, label }) => [id, label] as const)}
    />
  );
}
