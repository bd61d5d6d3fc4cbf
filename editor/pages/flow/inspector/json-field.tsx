// Edits a JSON value as text. Keeps invalid text in the field, and applies it once it is valid.
import { useState } from 'react';
import type { Json } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { CodeField } from './code-field.tsx';

interface JsonFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Error of the value. A syntax error of the text takes precedence. */
  readonly error?: string | undefined;
  readonly placeholder?: unknown;
  readonly value: Json | undefined;
  /** Called with undefined if the text is empty. */
  readonly onChange: (value: Json | undefined) => void;
}

export function JsonField({ error, placeholder, value, onChange, ...about }: JsonFieldProps) {
  const [draft, setDraft] = useState<string>();
  const problem = draft === undefined ? undefined : findSyntaxError(draft);
  return (
    <CodeField
      {...about}
      error={problem ?? error}
      placeholder={toText(placeholder)}
      value={draft ?? toText(value)}
      onChange={text => {
        setDraft(text);
        if (text.trim() === '') onChange(undefined);
        else if (findSyntaxError(text) === undefined) onChange(JSON.parse(text) as Json);
      }}
    />
  );
}

const toText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

function findSyntaxError(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messages.flow.notJson(error instanceof Error ? error.message : '');
  }
}
