// Renders the filters of a list in one row: search, and selects with their label inside the control.
import type { ReactNode, SelectHTMLAttributes } from 'react';
import styles from './filter-bar.module.css';

export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <search className={styles.bar}>{children}</search>;
}

interface FilterSelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  /** Texts of the options by value. */
  readonly options: Readonly<Record<string, string>>;
}

export function FilterSelect({ label, options, ...select }: FilterSelectProps) {
  return (
    <label className={styles.filter}>
      <span className={styles.label}>{label}</span>
      <select {...select}>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
