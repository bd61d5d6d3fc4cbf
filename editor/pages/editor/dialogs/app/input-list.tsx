// Renders the inputs of an app in the order of its form, with their texts and limits. The user moves an input by dragging
// or with buttons.
import GripVertical from 'icon:grip-vertical';
import X from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import type { AppInput } from '../../../../../sdk/src/schemas.ts';
import { CONTROLS_BY_TYPE, getControl } from '../../../../../src/graph/app-controls.ts';
import type { Json } from '../../../../../src/graph/types.ts';
import { findNode } from '../../../../board/board.ts';
import { messages } from '../../../../flow-messages.ts';
import { IconButton } from '../../../../kit/button.tsx';
import { CheckField, SelectField, TextField } from '../../../../kit/field.tsx';
import formStyles from '../../../../kit/form.module.css';
import type { MediaSource } from '../../../../kit/media-kind.ts';
import { Thumbnail } from '../../../../kit/media-view.tsx';
import { SortableList } from '../../../../kit/sortable-list.tsx';
import { apiQuery } from '../../../../lib/queries.ts';
import { useBoard } from '../../../../session/editor-context.tsx';
import styles from './app.module.css';

const appMessages = messages.flow.app;

interface InputListProps {
  readonly inputs: readonly AppInput[];
  /** The node types by node id. */
  readonly types: ReadonlyMap<string, string>;
  readonly onChange: (inputs: readonly AppInput[]) => void;
}

export function InputList({ inputs, types, onChange }: InputListProps) {
  if (inputs.length === 0) return <p className={formStyles.muted}>{appMessages.noInputs}</p>;
  return (
    <SortableList
      className={styles.inputs}
      itemClassName={styles.input}
      label={appMessages.inputs}
      items={inputs}
      getKey={({ nodeId }) => nodeId}
      getName={getName}
      onChange={onChange}
    >
      {({ item: input, index, moveButtons, handle }) => (
        <>
          <div {...handle}>
            <GripVertical />
            <strong className={styles.grow}>{getName(input)}</strong>
            {moveButtons}
            <IconButton
              size="s"
              icon={X}
              label={appMessages.removeInput(getName(input))}
              onClick={() => onChange(inputs.toSpliced(index, 1))}
            />
          </div>
          <details>
            <summary>{appMessages.details}</summary>
            <InputDetails
              input={input}
              nodeType={types.get(input.nodeId) ?? ''}
              onChange={changed => onChange(inputs.with(index, changed))}
            />
          </details>
        </>
      )}
    </SortableList>
  );
}

const getName = ({ label, nodeId }: AppInput): string => label ?? nodeId;

interface InputDetailsProps {
  readonly input: AppInput;
  readonly nodeType: string;
  readonly onChange: (input: AppInput) => void;
}

function InputDetails({ input, nodeType, onChange }: InputDetailsProps) {
  const controls = CONTROLS_BY_TYPE[nodeType] ?? [];
  const control = getControl(input, nodeType);
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
      {controls.length > 1 && (
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
      {input.isRequired !== true && (
        <CheckField
          label={control === 'media' ? appMessages.showsFile : appMessages.showsDefault}
          checked={input.showsDefault === true}
          onChange={({ target }) => set('showsDefault', target.checked)}
        />
      )}
      {input.isRequired !== true && input.showsDefault === true && control === 'media' && (
        <DefaultFile nodeId={input.nodeId} />
      )}
    </div>
  );
}

/** Renders the thumbnail and name of the file that visitors see. */
function DefaultFile({ nodeId }: { readonly nodeId: string }) {
  const { url, mediaId } = useBoard(({ board }) => findNode(board, nodeId)?.data.config) ?? {};
  const id = typeof mediaId === 'string' ? mediaId : '';
  const { data } = useQuery({ ...apiQuery(['/media', id]), enabled: id !== '' });
  const file = id === '' ? toFile(url) : data;
  if (file === undefined) return null;
  return (
    <p className={styles.file}>
      <Thumbnail {...file} />
      <span className={styles.grow}>{file.name}</span>
    </p>
  );
}

/** Returns undefined if there is no URL. The name is the last part of the path. */
function toFile(url: Json | undefined): (MediaSource & { readonly name: string }) | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  const path = URL.parse(url, location.origin)?.pathname ?? url;
  return { url, name: path.slice(path.lastIndexOf('/') + 1) || url };
}
