// Renders labeled form controls with hint and error, linked for screen readers.

import Eye from 'icon:eye';
import EyeOff from 'icon:eye-off';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react';
import { messages } from '../messages.ts';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './field.module.css';

interface LabelProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface LabelLinks {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** Renders the label, hint and error of a custom control. `children` gets the attributes that link the control to them. */
export function Field({
  label,
  hint,
  error,
  children,
}: LabelProps & { readonly children: (labelLinks: LabelLinks) => ReactNode }) {
  const id = useId();
  const hasNote = hint !== undefined || error !== undefined;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? `${id}-note` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hasNote && (
        <p id={`${id}-note`} className={classNames(styles.note, error !== undefined && styles.error)}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

type InputProps = LabelProps &
  InputHTMLAttributes<HTMLInputElement> & {
    readonly ref?: Ref<HTMLInputElement>;
    /** A second control at the end of the input, such as a color picker. */
    readonly beside?: ReactNode;
  };

export function TextField(props: InputProps) {
  return props.type === 'password' ? <HiddenTextField {...props} /> : <PlainTextField {...props} />;
}

/** Renders a field whose text is hidden until the button beside it is pressed, because typing unseen fails on phones. */
function HiddenTextField(props: InputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <PlainTextField
      {...props}
      {...(isShown && { type: 'text', autoCapitalize: 'none', spellCheck: false })}
      beside={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? messages.hideTyped : messages.showTyped}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}

function PlainTextField({ label, hint, error, beside, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {labelLinks => {
        const control = <input type="text" {...input} {...labelLinks} className={styles.control} />;
        if (beside === undefined) return control;
        return (
          <div className={styles.pair}>
            {control}
            {beside}
          </div>
        );
      }}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  ...area
}: LabelProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {labelLinks => <textarea rows={4} {...area} {...labelLinks} className={styles.control} />}
    </Field>
  );
}

/** Texts of options by value. For values that are numbers, use entries: a record would sort its number keys first. */
export type Options =
  | Readonly<Record<string, string>>
  | readonly (readonly [value: string | number, text: string])[];

export const renderOptions = (options: Options): ReactNode =>
  (Array.isArray(options) ? options : Object.entries(options)).map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));

interface SelectFieldProps extends LabelProps, SelectHTMLAttributes<HTMLSelectElement> {
  readonly options?: Options;
  /** Option elements before `options`, such as one for no choice. */
  readonly children?: ReactNode;
}

export function SelectField({ label, hint, error, options = [], children, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {labelLinks => (
        <select {...select} {...labelLinks} className={styles.control}>
          {children}
          {renderOptions(options)}
        </select>
      )}
    </Field>
  );
}

/** Renders a checkbox with its label after it. */
export function CheckField({
  label,
  hint,
  ...input
}: Omit<LabelProps, 'error'> & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input
        type="checkbox"
        {...input}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-note`} className={styles.note}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface PasswordFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
}

export function PasswordField({ label = messages.signIn.password, value, onChange }: PasswordFieldProps) {
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="current-password"
      required
      maxLength={256}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
