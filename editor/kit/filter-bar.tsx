// Renders the filters of a list in one row: search, and selects and inputs with their label inside the control.
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react';
import { type Options, renderOptions } from './field.tsx';
import styles from './filter-bar.module.css';

export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <search className={styles.bar}>{children}</search>;
}

interface FilterInputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
}

export function FilterInput({ label, ...input }: FilterInputProps) {
  return (
    <label className={styles.filter}>
      <span className={styles.label}>{label}</span>
      <input {...input} />
    </label>
  );
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
