// Maps inputs of nodes to the controls that edit them.
import type { ComponentType } from 'react';
import { formatChoice } from '../../../../src/graph/card-fields.ts';
import type { InputDef } from '../../../../src/graph/catalog.ts';
import type { GraphNode, Json } from '../../../../src/graph/types.ts';
import { type ControlKind, HEX_COLOR } from '../../../board/control-kind.ts';
import { toFieldText } from '../../../board/item-text.ts';
import { messages } from '../../../flow-messages.ts';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { lazyComponent } from '../../../lib/lazy-component.ts';
import styles from './inspector.module.css';
import { JsonControl } from './json-field.tsx';
import { ListControl } from './list-control.tsx';
import { LongText } from './long-text.tsx';
import { MediaControl } from './media-control.tsx';
import { NumberControl } from './number-control.tsx';
import { VideoTemplateControl } from './video-template-control.tsx';

const flowMessages = messages.flow;

export interface ControlProps {
  readonly node: GraphNode;
  readonly input: InputDef;
  /** If undefined, the default applies. */
  readonly value: Json | undefined;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Offers files of this kind: `image`, `video` or `audio`. */
  readonly mediaKind?: string | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

// Only inspectors of code nodes show these.
const CodeControl = lazyComponent<ControlProps>(async () => (await import('./code-control.tsx')).CodeControl);
const PortsControl = lazyComponent<ControlProps>(
  async () => (await import('./ports-control.tsx')).PortsControl,
);

const PeopleControl = lazyComponent<ControlProps>(
  async () => (await import('./people-control.tsx')).PeopleControl,
);

export const CONTROLS = {
  text: TextControl,
  color: ColorControl,
  number: NumberControl,
  choice: ChoiceControl,
  flag: FlagControl,
  json: JsonControl,
  list: ListControl,
  template: VideoTemplateControl,
  media: MediaControl,
  code: CodeControl,
  ports: PortsControl,
  people: PeopleControl,
} as const satisfies Record<ControlKind, ComponentType<ControlProps>>;

function TextControl({ input, value, hint, error, onChange }: ControlProps) {
  return (
    <LongText
      label={input.label}
      hint={hint}
      error={error}
      placeholder={toFieldText(input.default)}
      value={toFieldText(value)}
      onChange={text => onChange(text)}
    />
  );
}

function ColorControl({ input, value, hint, error, onChange }: ControlProps) {
  const color = toFieldText(value ?? input.default);
  return (
    <TextField
      label={input.label}
      hint={hint}
      error={error}
      placeholder={toFieldText(input.default)}
      value={toFieldText(value)}
      onChange={({ target }) => onChange(target.value)}
      beside={
        <input
          type="color"
          className={styles.swatch}
          aria-label={flowMessages.pickColor(input.label)}
          value={HEX_COLOR.test(color) ? color : '#000000'}
          onChange={({ target }) => onChange(target.value)}
        />
      }
    />
  );
}

function ChoiceControl({ input, value, hint, error, onChange }: ControlProps) {
  const selected = toFieldText(value ?? input.default);
  const values = input.enum ?? [];
  return (
    <SelectField
      label={input.label}
      hint={hint}
      error={error}
      value={selected}
      onChange={({ target }) => onChange(target.value)}
      options={values.map(option => [option, formatChoice(option, values)] as const)}
    >
      {!values.includes(selected) && (
        <option value={selected}>{selected === '' ? flowMessages.none : selected}</option>
      )}
    </SelectField>
  );
}

function FlagControl({ input, value, hint, onChange }: ControlProps) {
  const isOn = (value ?? input.default) === true;
  return (
    <label className={styles.flag} title={hint}>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {input.label}
    </label>
  );
}
