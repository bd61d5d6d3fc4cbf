// Renders the ports of a code node as rows of name and type. A value that is no list of ports is edited as JSON.

import Plus from 'icon:plus';
import Trash from 'icon:trash-2';
import { useState } from 'react';
import { type ConfigPort, isCodePort, MAX_CONFIG_PORTS } from '../../../../src/graph/config-ports.ts';
import { type Json, PORT_TYPES } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { renderOptions } from '../../../kit/field.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';
import { JsonControl } from './json-field.tsx';

const portMessages = messages.flow.ports;
const TYPES = PORT_TYPES.map(type => [type, portMessages.types[type]] as const);

export function PortsControl(props: ControlProps) {
  const { input, value, error, onChange } = props;
  const ports = toPortList(value ?? (input.default as Json | undefined));
  if (ports === undefined) return <JsonControl {...props} />;
  const set = (newPorts: readonly ConfigPort[]): void => onChange(newPorts.map(port => ({ ...port })));
  const ids = new Set(ports.map(({ id }) => id));
  return (
    <fieldset className={styles.list}>
      <legend className={styles.codeLabel}>{input.label}</legend>
      <ol>
        {ports.map((port, index) => (
          <PortRow
            key={port.id}
            port={port}
            number={index + 1}
            isFree={id => id === port.id || !ids.has(id)}
            onChange={newPort => set(ports.with(index, newPort))}
            onRemove={() => set(ports.toSpliced(index, 1))}
          />
        ))}
      </ol>
      <Button
        size="s"
        icon={Plus}
        disabled={ports.length >= MAX_CONFIG_PORTS}
        onClick={() => set([...ports, { id: findFreeId(ids, input.id), type: 'ANY' }])}
      >
        {portMessages.add(input.label)}
      </Button>
      {error !== undefined && (
        <p className={styles.note} data-error>
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** Returns undefined for lists with the same id twice too, because the second port of an id is ignored. */
function toPortList(value: Json | undefined): readonly ConfigPort[] | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  if (!items.every(isCodePort)) return undefined;
  return new Set(items.map(({ id }) => id)).size === items.length ? items : undefined;
}

/** Returns `input1` or `output1`, or the next name that no port has. */
function findFreeId(ids: ReadonlySet<string>, list: string): string {
  const prefix = list.replace(/s$/, '');
  let number = 1;
  while (ids.has(`${prefix}${number}`)) number++;
  return `${prefix}${number}`;
}

interface PortRowProps {
  readonly port: ConfigPort;
  readonly number: number;
  readonly isFree: (id: string) => boolean;
  readonly onChange: (port: ConfigPort) => void;
  readonly onRemove: () => void;
}

/** Applies a name when the field is left, because a port with half a name would lose its connections. */
function PortRow({ port, number, isFree, onChange, onRemove }: PortRowProps) {
  const [draft, setDraft] = useState<string>();
  const name = (draft ?? port.id).trim();
  const isValid = isCodePort({ ...port, id: name }) && isFree(name);
  const apply = (): void => {
    if (!isValid) return;
    setDraft(undefined);
    if (name !== port.id) onChange({ ...port, id: name });
  };
  return (
    <li className={styles.port}>
      <input
        type="text"
        aria-label={portMessages.name(number)}
        aria-invalid={!isValid || undefined}
        value={draft ?? port.id}
        spellCheck={false}
        onChange={({ target }) => setDraft(target.value)}
        onBlur={apply}
        onKeyDown={event => event.key === 'Enter' && !event.nativeEvent.isComposing && apply()}
      />
      <select
        aria-label={portMessages.type(number)}
        value={port.type}
        onChange={({ target }) => onChange({ ...port, type: target.value as ConfigPort['type'] })}
      >
        {renderOptions(TYPES)}
      </select>
      <IconButton size="s" icon={Trash} label={portMessages.remove(number)} onClick={onRemove} />
      {!isValid && (
        <p className={styles.note} data-error>
          {portMessages.invalid}
        </p>
      )}
    </li>
  );
}
