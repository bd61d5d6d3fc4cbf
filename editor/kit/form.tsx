// Renders a form with its fields in one column.
import type { ReactNode } from 'react';
import styles from './form.module.css';

/** Renders a form. The browser validates `required`, `type` and `minLength` before `onSubmit`. */
export function Form({
  id,
  onSubmit,
  children,
}: {
  /** For buttons outside of the form. */
  readonly id?: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}) {
  return (
    <form
      id={id}
      className={styles.form}
      onSubmit={event => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
