// A form whose fields stand below each other.
import type { ReactNode } from 'react';
import styles from './form.module.css';

/** The browser itself checks `required`, `type` and `minLength` before `onSubmit`. */
export function Form({
  onSubmit,
  children,
}: {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}) {
  return (
    <form
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
