// Renders a JSON field: the code editor, or a text area until the editor is loaded.
import { lazyComponent } from '../../../lib/lazy-component.ts';
import styles from './inspector.module.css';

export interface CodeProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  readonly isInvalid: boolean;
  readonly onChange: (value: string) => void;
}

interface CodeFieldProps extends Omit<CodeProps, 'isInvalid'> {
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

export function CodeField({ hint, error, ...code }: CodeFieldProps) {
  return (
    // The editor element carries the label, because labels cannot refer to elements in a shadow root.
    <div className={styles.codeField}>
      <span className={styles.codeLabel} aria-hidden>
        {code.label}
      </span>
      <CodeEditor {...code} isInvalid={error !== undefined} />
      {(error ?? hint) !== undefined && (
        <p className={styles.note} data-error={error !== undefined || undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

const CodeEditor = lazyComponent<CodeProps>(
  async () => (await import('./code-editor.tsx')).CodeEditor,
  ({ label, value, onChange }) => (
    <textarea
      className={styles.text}
      data-code
      aria-label={label}
      value={value}
      spellCheck={false}
      onChange={({ target }) => onChange(target.value)}
    />
  ),
);
