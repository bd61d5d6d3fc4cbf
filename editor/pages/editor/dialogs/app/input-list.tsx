// Renders the inputs of an app in the order of its form, with their texts and limits. The user moves an input by dragging
// or with buttons.
import ArrowDown from 'icon:arrow-down';
import ArrowUp from 'icon:arrow-up';
import GripVertical from 'icon:grip-vertical';
import X from 'icon:x';
import { useRef, useState } from 'react';
import type { AppInput } from '../../../../../sdk/src/schemas.ts';
import { messages } from '../../../../flow-messages.ts';
import { IconButton } from '../../../../kit/button.tsx';
import { CheckField, SelectField, TextField } from '../../../../kit/field.tsx';
import formStyles from '../../../../kit/form.module.css';
import styles from './app.module.css';
import { moveItem } from './app-form.ts';

const appMessages = messages.flow.app;

interface InputListProps {
  readonly inputs: readonly AppInput[];
  /** The node types by node id. */
  readonly types: ReadonlyMap<string, string>;
  readonly onChange: (inputs: readonly AppInput[]) => void;
}

export function InputList({ inputs, types, onChange }: InputListProps) {
  const dragged = useRef<number>(undefined);
  const [target, setTarget] = useState<number>();
  const move = (from: number, to: number): void => onChange(moveItem(inputs, from, to));
  if (inputs.length === 0) return <p className={formStyles.muted}>{appMessages.noInputs}</p>;
  return (
    <ol className={styles.inputs} aria-label={appMessages.inputs}>
      {inputs.map((input, index) => (
        <li
          key={input.nodeId}
          className={styles.input}
          data-target={target === index || undefined}
          onDragOver={event => {
            if (dragged.current === undefined) return;
            event.preventDefault();
            setTarget(index);
          }}
          onDrop={event => {
            event.preventDefault();
            if (dragged.current !== undefined) move(dragged.current, index);
          }}
        >
          <InputRow
            input={input}
            nodeType={types.get(input.nodeId) ?? ''}
            onDrag={isDragged => {
              dragged.current = isDragged ? index : undefined;
              if (!isDragged) setTarget(undefined);
            }}
            onMove={offset => move(index, index + offset)}
            onChange={changed => onChange(inputs.with(index, changed))}
            onRemove={() => onChange(inputs.toSpliced(index, 1))}
          />
        </li>
      ))}
    </ol>
  );
}

interface InputRowProps {
  readonly input: AppInput;
  readonly nodeType: string;
  readonly onDrag: (isDragged: boolean) => void;
  readonly onMove: (offset: number) => void;
  readonly onChange: (input: AppInput) => void;
  readonly onRemove: () => void;
}

function InputRow({ input, nodeType, onDrag, onMove, onChange, onRemove }: InputRowProps) {
  const label = input.label ?? input.nodeId;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same by keyboard */}
      <div
        className={styles.handle}
        draggable
        onDragStart={event => {
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('text/plain', label);
          onDrag(true);
        }}
        onDragEnd={() => onDrag(false)}
      >
        <GripVertical />
        <strong className={styles.grow}>{label}</strong>
        <IconButton size="s" icon={ArrowUp} label={appMessages.moveUp(label)} onClick={() => onMove(-1)} />
        <IconButton size="s" icon={ArrowDown} label={appMessages.moveDown(label)} onClick={() => onMove(1)} />
        <IconButton size="s" icon={X} label={appMessages.removeInput(label)} onClick={onRemove} />
      </div>
      <details>
        <summary>{appMessages.details}</summary>
        <InputDetails input={input} nodeType={nodeType} onChange={onChange} />
      </details>
    </>
  );
}

/** The controls that each type of input node offers; the first is the default. */
const CONTROLS: Readonly<Record<string, readonly NonNullable<AppInput['control']>[]>> = {
  'input:text': ['textarea', 'text', 'choice'],
  'input:number': ['text', 'slider', 'choice', 'switch'],
};

function InputDetails({ input, nodeType, onChange }: Pick<InputRowProps, 'input' | 'nodeType' | 'onChange'>) {
  const controls = CONTROLS[nodeType] ?? [];
  const control = input.control ?? controls[0];
  /** Removes a member whose text is empty. */
  const set = (key: keyof AppInput, value: unknown): void => {
    const { [key]: _, ...others } = input;
    onChange((value === '' || value === undefined ? others : { ...others, [key]: value }) as AppInput);
  };
  const setNumber = (key: 'min' | 'max' | 'maxLength', text: string): void =>
    set(key, text === '' ? undefined : Number(text));
  return (
    <div className={styles.details}>
      <TextField
        label={appMessages.label}
        maxLength={200}
        value={input.label ?? ''}
        onChange={({ target }) => set('label', target.value)}
      />
      <TextField
        label={appMessages.help}
        maxLength={1000}
        value={input.help ?? ''}
        onChange={({ target }) => set('help', target.value)}
      />
      <TextField
        label={appMessages.placeholder}
        maxLength={500}
        value={input.placeholder ?? ''}
        onChange={({ target }) => set('placeholder', target.value)}
      />
      <TextField
        label={appMessages.group}
        hint={appMessages.groupHint}
        maxLength={100}
        value={input.group ?? ''}
        onChange={({ target }) => set('group', target.value)}
      />
      {controls.length > 0 && (
        <SelectField
          label={appMessages.control}
          value={control}
          onChange={({ target }) => set('control', target.value)}
          options={controls.map(name => [name, appMessages.controls[name]] as const)}
        />
      )}
      {control === 'choice' && (
        <TextField
          label={appMessages.choices}
          value={input.choices?.join(', ') ?? ''}
          onChange={({ target }) =>
            set('choices', target.value === '' ? undefined : target.value.split(/,\s*/))
          }
        />
      )}
      {nodeType === 'input:text' && (
        <TextField
          label={appMessages.maxLength}
          type="number"
          min={1}
          max={100_000}
          value={input.maxLength ?? ''}
          onChange={({ target }) => setNumber('maxLength', target.value)}
        />
      )}
      {nodeType === 'input:number' &&
        (['min', 'max'] as const).map(key => (
          <TextField
            key={key}
            label={appMessages[key]}
            type="number"
            step="any"
            value={input[key] ?? ''}
            onChange={({ target }) => setNumber(key, target.value)}
          />
        ))}
      <CheckField
        label={appMessages.isRequired}
        checked={input.isRequired === true}
        onChange={({ target }) => set('isRequired', target.checked || undefined)}
      />
    </div>
  );
}
