// A text that takes as much room as it needs.
import { Field } from '../../../kit/field.tsx';
import styles from './inspector.module.css';

interface LongTextProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly isCode?: boolean;
  readonly onChange: (value: string) => void;
}

export function LongText({
  label,
  value,
  placeholder,
  hint,
  error,
  isCode = false,
  onChange,
}: LongTextProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ties => (
        <textarea
          {...ties}
          className={styles.text}
          data-code={isCode || undefined}
          rows={2}
          value={value}
          placeholder={placeholder}
          spellCheck={!isCode}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
