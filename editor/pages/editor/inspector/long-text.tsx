// Renders a text area that grows with its content and suggests secrets.
import { useLayoutEffect, useRef, useState } from 'react';
import { Field } from '../../../kit/field.tsx';
import styles from './inspector.module.css';
import { SecretNames } from './secret-names.tsx';

interface LongTextProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

export function LongText({ label, value, placeholder, hint, error, onChange }: LongTextProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState<number>();
  const nextCaret = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (nextCaret.current === undefined) return;
    area.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = undefined;
  });
  return (
    <>
      <Field label={label} hint={hint} error={error}>
        {labelLinks => (
          <textarea
            {...labelLinks}
            ref={area}
            className={styles.text}
            rows={2}
            value={value}
            placeholder={placeholder}
            onChange={({ target }) => {
              setCaret(target.selectionStart);
              onChange(target.value);
            }}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
            onBlur={() => setCaret(undefined)}
          />
        )}
      </Field>
      {caret !== undefined && (
        <SecretNames
          text={value}
          caret={caret}
          onChoose={(text, newCaret) => {
            nextCaret.current = newCaret;
            setCaret(newCaret);
            onChange(text);
          }}
        />
      )}
    </>
  );
}
