// Renders a text area that grows with its content and suggests names of secrets.
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
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    area.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  });
  return (
    <>
      <Field label={label} hint={hint} error={error}>
        {ties => (
          <textarea
            {...ties}
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
          onChoose={(text, place) => {
            wanted.current = place;
            setCaret(place);
            onChange(text);
          }}
        />
      )}
    </>
  );
}
