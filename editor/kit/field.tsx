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

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface Ties {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** For custom controls: `children` gets the attributes that link it to label, hint and error. */
export function Field({
  label,
  hint,
  error,
  children,
}: Labelled & { readonly children: (ties: Ties) => ReactNode }) {
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

type InputProps = Labelled & InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> };

export function TextField({ label, hint, error, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ties => <input type="text" {...input} {...ties} className={styles.control} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  ...area
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ties => <textarea rows={4} {...area} {...ties} className={styles.control} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  ...select
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ties => <select {...select} {...ties} className={styles.control} />}
    </Field>
  );
}

/** A checkbox with its label after it. */
export function CheckField({
  label,
  hint,
  ...input
}: Omit<Labelled, 'error'> & InputHTMLAttributes<HTMLInputElement>) {
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
