// Renders one property of a scene graph with the control of its kind.

import Spline from 'icon:spline';
import Upload from 'icon:upload';
import { type ReactNode, useState } from 'react';
import { isJsonObject, type Json } from '../../../../src/graph/types.ts';
import { HEX_COLOR } from '../../../board/control-kind.ts';
import { toFieldText } from '../../../board/item-text.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../../kit/field.tsx';
import { FileButton, MediaPicker, useUpload } from '../../../session/media-files.tsx';
import { JsonField } from '../inspector/json-field.tsx';
import {
  createInitialValue,
  type FieldKind,
  parseScalar,
  type Schema,
  type SchemaField,
  toField,
} from './json-schema.ts';
import { animate, findKeyframeValue, readKeyframes } from './keyframes.ts';
import { KeyframesField } from './keyframes-field.tsx';
import styles from './scene.module.css';

const sceneMessages = messages.flow.scene;

export interface SceneFieldProps {
  readonly root: Schema;
  readonly name: string;
  readonly field: SchemaField;
  /** Type of the layer, which determines the accepted files. */
  readonly layerType?: Json | undefined;
  readonly value: Json | undefined;
  /** Called with undefined to restore the default. */
  readonly onChange: (value: Json | undefined) => void;
}

export function SceneField(props: SceneFieldProps) {
  const { root, value, field, onChange } = props;
  const valueSchema = findKeyframeValue(root, field.schema);
  const keyframes = valueSchema && readKeyframes(value);
  if (valueSchema !== undefined && keyframes !== undefined)
    return <KeyframesField {...props} {...{ keyframes, valueSchema }} Field={SceneField} />;
  // Gradients and similar values do not fit a simple field.
  const isComplex = typeof value === 'object' && value !== null && field.kind !== 'object';
  const Control = CONTROLS[isComplex ? 'json' : field.kind];
  if (valueSchema === undefined || isComplex) return <Control {...props} />;
  const described = { ...field, schema: withoutKeyframes(field.schema) };
  return (
    <div className={styles.animatable}>
      <Control {...props} field={described} />
      <IconButton
        size="s"
        icon={Spline}
        label={sceneMessages.keyframes.animate(sceneMessages.label(props.name))}
        onClick={() => onChange(animate(value ?? createInitialValue(root, valueSchema)))}
      />
    </div>
  );
}

/** Returns the schema with a description of the constant value only. */
const withoutKeyframes = ({ description, ...schema }: Schema): Schema =>
  description === undefined
    ? schema
    : { ...schema, description: description.replace(/, or \{ "keyframes".*$/s, '.') };

const CONTROLS: Readonly<Record<FieldKind, (props: SceneFieldProps) => ReactNode>> = {
  choice: ChoiceControl,
  flag: ({ name, field, value, onChange }) => (
    <CheckField
      label={sceneMessages.label(name)}
      hint={field.schema.description}
      checked={value === true}
      onChange={({ target }) => onChange(target.checked ? true : undefined)}
    />
  ),
  number: ScalarControl,
  scalar: ScalarControl,
  text: TextControl,
  multiline: ({ name, field, value, onChange }) => (
    <TextArea
      label={sceneMessages.label(name)}
      hint={field.schema.description}
      rows={2}
      value={toFieldText(value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    />
  ),
  color: ColorControl,
  source: SourceControl,
  object: ObjectControl,
  json: JsonControl,
};

function ChoiceControl({ name, field, value, onChange }: SceneFieldProps) {
  return (
    <SelectField
      label={sceneMessages.label(name)}
      hint={field.schema.description}
      value={toFieldText(value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      options={(field.schema.enum ?? []).map(option => [String(option), String(option)] as const)}
    >
      <option value="">{sceneMessages.standard}</option>
    </SelectField>
  );
}

/** Keeps the typed text while its parsed value is the current value, so that input such as `1.` is not rewritten. */
function ScalarControl({ name, field, value, onChange }: SceneFieldProps) {
  const [draft, setDraft] = useState<string>();
  const text = draft !== undefined && parseScalar(draft) === value ? draft : toFieldText(value);
  const { minimum, maximum, description } = field.schema;
  const isOutOfRange =
    field.kind === 'number' &&
    value !== undefined &&
    (typeof value !== 'number' || value < (minimum ?? value) || value > (maximum ?? value));
  return (
    <TextField
      label={sceneMessages.label(name)}
      hint={description}
      error={isOutOfRange ? sceneMessages.range(minimum, maximum) : undefined}
      inputMode={field.kind === 'number' ? 'decimal' : 'text'}
      value={text}
      onChange={({ target }) => {
        setDraft(target.value);
        onChange(parseScalar(target.value));
      }}
    />
  );
}

function TextControl({
  name,
  field,
  value,
  onChange,
  beside,
}: SceneFieldProps & { readonly beside?: ReactNode }) {
  return (
    <TextField
      label={sceneMessages.label(name)}
      hint={field.schema.description}
      maxLength={field.schema.maxLength}
      value={toFieldText(value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      beside={beside}
    />
  );
}

function ColorControl(props: SceneFieldProps) {
  const color = toFieldText(props.value);
  return (
    <TextControl
      {...props}
      beside={
        <input
          type="color"
          className={styles.swatch}
          aria-label={messages.flow.pickColor(sceneMessages.label(props.name))}
          value={HEX_COLOR.test(color) ? color : '#000000'}
          onChange={({ target }) => props.onChange(target.value)}
        />
      }
    />
  );
}

/** A value that an input of the node provides. */
const INPUT_NAME = /^\s*\{\{\s*([\w-]+)\s*\}\}\s*$/;

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'audio']);

/** Renders a URL field, and buttons to upload a file or choose one from the library. */
function SourceControl(props: SceneFieldProps) {
  const kind = MEDIA_TYPES.has(String(props.layerType)) ? String(props.layerType) : 'audio';
  const input = INPUT_NAME.exec(toFieldText(props.value))?.[1];
  const [isOpen, setOpen] = useState(false);
  const { isBusy, upload } = useUpload(props.onChange);
  return (
    <div className={styles.source}>
      <TextControl {...props} />
      {input !== undefined && <p className={styles.hint}>{sceneMessages.fromInput(input)}</p>}
      <div className={styles.tools}>
        <FileButton
          kind={kind}
          icon={Upload}
          label={messages.flow.media.upload}
          isBusy={isBusy}
          onFile={upload}
        />
        <Button size="s" onClick={() => setOpen(true)}>
          {messages.flow.media.library}
        </Button>
      </div>
      {isOpen && <MediaPicker kind={kind} onClose={() => setOpen(false)} onChoose={props.onChange} />}
    </div>
  );
}

/** Renders the fields of an object. Setting a member also fills in the required members. */
function ObjectControl({ root, name, field, value, onChange }: SceneFieldProps) {
  const { properties = {}, description } = field.schema;
  const members = isJsonObject(value) ? value : undefined;
  const set = (key: string, newValue: Json | undefined): void => {
    const { [key]: _, ...otherMembers } =
      members ?? (createInitialValue(root, field.schema) as Record<string, Json>);
    onChange(newValue === undefined ? otherMembers : { ...otherMembers, [key]: newValue });
  };
  return (
    <details className={styles.object} open={members !== undefined}>
      <summary>{sceneMessages.label(name)}</summary>
      <div className={styles.fields}>
        {description !== undefined && <p className={styles.hint}>{description}</p>}
        {Object.entries(properties).map(([key, schema]) => (
          <SceneField
            key={key}
            root={root}
            name={key}
            field={toField(root, schema)}
            value={members?.[key]}
            onChange={newValue => set(key, newValue)}
          />
        ))}
        {members !== undefined && (
          <div>
            <Button size="s" onClick={() => onChange(undefined)}>
              {sceneMessages.without(sceneMessages.label(name))}
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}

function JsonControl({ name, field, value, onChange }: SceneFieldProps) {
  return (
    <JsonField
      label={sceneMessages.label(name)}
      hint={field.schema.description}
      value={value}
      onChange={onChange}
    />
  );
}
