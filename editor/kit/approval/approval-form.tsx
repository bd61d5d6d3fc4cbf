// Renders what waits for a decision, and the form that decides: a comment, the editable value, and two buttons.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Approval, DecisionRequest } from '../../../sdk/src/schemas.ts';
import { approvalMessages as messages } from '../../approval-messages.ts';
import { Button } from '../button.tsx';
import { Failure } from '../failure.tsx';
import { TextArea, TextField } from '../field.tsx';
import styles from './approval.module.css';
import { ApprovalValue, toEditText } from './approval-value.tsx';

const MAX_COMMENT_CHARS = 2000;

interface ApprovalFormProps {
  readonly approval: Pick<Approval, 'label' | 'type' | 'items' | 'truncated' | 'editable'>;
  /** Sends the decision. A rejection is shown in the form. */
  readonly onDecide: (decision: DecisionRequest) => Promise<unknown>;
}

export function ApprovalForm({ approval, onDecide }: ApprovalFormProps) {
  const original = approval.editable ? toEditText(approval) : '';
  const [comment, setComment] = useState('');
  const [text, setText] = useState(original);
  const [isInvalid, setInvalid] = useState(false);
  const [chosen, setChosen] = useState<DecisionRequest['decision']>();
  const decide = useMutation({ mutationFn: onDecide });
  const submit = (decision: DecisionRequest['decision']): void => {
    const edits = text === original ? undefined : parseEdit(approval.type, text);
    setInvalid(edits === INVALID);
    if (edits === INVALID) return;
    setChosen(decision);
    decide.mutate({
      decision,
      ...(comment.trim() === '' ? {} : { comment }),
      ...(edits === undefined ? {} : { edits: { input: edits.value } }),
    });
  };
  return (
    <form className={styles.form} onSubmit={event => event.preventDefault()}>
      {approval.editable ? (
        <EditField
          type={approval.type}
          text={text}
          error={isInvalid ? messages.invalidJson : undefined}
          onChange={setText}
        />
      ) : (
        <ApprovalValue approval={approval} />
      )}
      <TextArea
        label={messages.comment}
        rows={2}
        maxLength={MAX_COMMENT_CHARS}
        value={comment}
        onChange={({ target }) => setComment(target.value)}
      />
      {decide.error && <Failure error={decide.error} />}
      <div className={styles.actions}>
        {(['reject', 'approve'] as const).map(decision => (
          <Button
            key={decision}
            variant={decision === 'approve' ? 'primary' : 'plain'}
            isBusy={decide.isPending && chosen === decision}
            disabled={decide.isPending}
            onClick={() => submit(decision)}
          >
            {messages[decision]}
          </Button>
        ))}
      </div>
    </form>
  );
}

interface EditFieldProps {
  readonly type: string;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function EditField({ type, text, error, onChange }: EditFieldProps) {
  const field = { label: messages.value, hint: messages.editHint, error, value: text };
  if (type === 'NUMBER')
    return <TextField {...field} inputMode="decimal" onChange={({ target }) => onChange(target.value)} />;
  return <TextArea {...field} rows={countRows(text)} onChange={({ target }) => onChange(target.value)} />;
}

const CHARS_PER_ROW = 80;
const MIN_ROWS = 3;
const MAX_ROWS = 14;

/** Returns about as many rows as the text needs. */
function countRows(text: string): number {
  const lines = text.slice(0, MAX_ROWS * CHARS_PER_ROW).split('\n');
  const rows = lines.reduce((sum, line) => sum + 1 + Math.floor(line.length / CHARS_PER_ROW), 0);
  return Math.min(MAX_ROWS, Math.max(MIN_ROWS, rows));
}

const INVALID = Symbol('invalid');

/** Parses an edited value. Returns INVALID for text that is no number or JSON. */
function parseEdit(type: string, text: string): { readonly value: unknown } | typeof INVALID {
  if (type === 'TEXT') return { value: text };
  try {
    const value: unknown = JSON.parse(text);
    return type === 'NUMBER' && typeof value !== 'number' ? INVALID : { value };
  } catch {
    return INVALID;
  }
}
