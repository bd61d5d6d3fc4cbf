// Edits a JSON value as text. Keeps invalid text in the field, and applies it once it is valid.

import { useState } from 'react';
import type { Json } from '../../../../src/graph/types.ts';
import { isEqual } from '../../../board/merge.ts';
import { messages } from '../../../flow-messages.ts';
import { CodeField } from './code-field.tsx';
import type { ControlProps } from './controls.tsx';

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

/** The text that the user typed, and the value of the board at that time. */
interface Draft {
  readonly text: string;
  readonly value: Json | undefined;
}

export function JsonField({ error, placeholder, value, onChange, ...labels }: JsonFieldProps) {
  const [draft, setDraft] = useState<Draft>();
  // If undo, another tab or another person has changed the value since, the draft is out of date.
  const text = draft !== undefined && isEqual(draft.value, value) ? draft.text : undefined;
  const problem = text === undefined ? undefined : findSyntaxError(text);
  return (
    <CodeField
      {...labels}
      error={problem ?? error}
      placeholder={toText(placeholder)}
      value={text ?? toText(value)}
      onChange={typed => {
        const isInvalid = findSyntaxError(typed) !== undefined;
        const newValue = isInvalid ? value : typed.trim() === '' ? undefined : (JSON.parse(typed) as Json);
        setDraft({ text: typed, value: newValue });
        if (!isInvalid) onChange(newValue);
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

/** Edits a setting as JSON. */
export function JsonControl({ input, value, hint, error, onChange }: ControlProps) {
  return (
    <JsonField
      label={input.label}
      hint={hint}
      error={error}
      placeholder={input.default}
      value={value}
      onChange={onChange}
    />
  );
}
