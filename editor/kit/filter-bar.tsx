// Renders the filters of a list in one row: search, and selects with their label inside the control.
import type { ReactNode, SelectHTMLAttributes } from 'react';
import { type Options, renderOptions } from './field.tsx';
import styles from './filter-bar.module.css';

export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <search className={styles.bar}>{children}</search>;
}

interface FilterSelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  readonly options: Options;
}

export function FilterSelect({ label, options, ...select }: FilterSelectProps) {
  return (
    <label className={styles.filter}>
      <span className={styles.label}>{label}</span>
      <select {...select}>{renderOptions(options)}</select>
    </label>
  );
}
