// Any JSON as text: what is typed is kept as it is, and handed on once it is JSON.
import { useState } from 'react';
import type { Json } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { CodeField } from './code-field.tsx';

interface JsonFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with the value, where the text is JSON. */
  readonly error?: string | undefined;
  readonly placeholder?: unknown;
  readonly value: Json | undefined;
  /** Called with undefined where the text is empty. */
  readonly onChange: (value: Json | undefined) => void;
}

export function JsonField({ error, placeholder, value, onChange, ...about }: JsonFieldProps) {
  const [draft, setDraft] = useState<string>();
  const problem = draft === undefined ? undefined : problemOf(draft);
  return (
    <CodeField
      {...about}
      error={problem ?? error}
      placeholder={textOf(placeholder)}
      value={draft ?? textOf(value)}
      onChange={text => {
        setDraft(text);
        if (text.trim() === '') onChange(undefined);
        else if (problemOf(text) === undefined) onChange(JSON.parse(text) as Json);
      }}
    />
  );
}

const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messages.flow.notJson(error instanceof Error ? error.message : '');
  }
}
