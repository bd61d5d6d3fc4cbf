// Renders a field for JSON or a program: the code editor, or a text area until the editor is loaded.
import { type ComponentType, useEffect, useRef, useState } from 'react';
import type { ProgramPorts } from '../../../board/program-ports.ts';
import styles from './inspector.module.css';

export interface CodeProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  /** Default: JSON. */
  readonly language?: 'json' | 'typescript';
  /** The ports of the program, for completion. */
  readonly ports?: ProgramPorts;
  readonly isReadOnly?: boolean;
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
      <CodeInput {...code} isInvalid={error !== undefined} />
      {(error ?? hint) !== undefined && (
        <p className={styles.note} data-error={error !== undefined || undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

let LoadedEditor: ComponentType<CodeProps> | undefined;

/** Keeps the text area while it has the focus, because keys typed after its removal would be commands of the board. */
function CodeInput(props: CodeProps) {
  const { label, value, placeholder, isReadOnly, isInvalid, onChange } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const [Editor, setEditor] = useState(() => LoadedEditor);
  const showEditor = (): void => setEditor(() => LoadedEditor);
  useEffect(() => {
    let isUnmounted = false;
    import('./code-editor.tsx').then(
      ({ CodeEditor }) => {
        LoadedEditor = CodeEditor;
        if (!isUnmounted && document.activeElement !== area.current) setEditor(() => CodeEditor);
      },
      // The text area stays.
      () => undefined,
    );
    return () => {
      isUnmounted = true;
    };
  }, []);
  if (Editor !== undefined) return <Editor {...props} />;
  return (
    <textarea
      ref={area}
      className={styles.text}
      data-code
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      placeholder={placeholder}
      value={value}
      spellCheck={false}
      readOnly={isReadOnly}
      onChange={({ target }) => onChange(target.value)}
      onBlur={showEditor}
    />
  );
}
