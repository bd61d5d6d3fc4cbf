// Renders labeled form controls with hint and error, linked for screen readers.

import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
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

export type InputProps = LabelProps &
  InputHTMLAttributes<HTMLInputElement> & {
    readonly ref?: Ref<HTMLInputElement>;
    /** A second control at the end of the input, such as a color picker. */
    readonly beside?: ReactNode;
  };

export function TextField({ label, hint, error, beside, ...input }: InputProps) {
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
