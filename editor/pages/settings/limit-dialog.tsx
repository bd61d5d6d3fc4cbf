// Renders a dialog that sets or removes a monthly limit.
import { useState } from 'react';
import { CreditsField } from '../../kit/credits-field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { toLimit } from '../../lib/to-limit.ts';
import { messages } from './messages.ts';

interface LimitDialogProps {
  readonly title: string;
  readonly monthlyCredits: number | null;
  readonly onSave: (monthlyCredits: number | null) => Promise<void>;
  readonly onClose: () => void;
}

export function LimitDialog({ title, monthlyCredits, onSave, onClose }: LimitDialogProps) {
  const [credits, setCredits] = useState(monthlyCredits === null ? '' : String(monthlyCredits));
  const save = (): Promise<void> => onSave(toLimit(credits));
  return (
    <FormDialog title={title} onSubmit={save} onClose={onClose}>
      <LimitField value={credits} onChange={setCredits} />
    </FormDialog>
  );
}

/** The largest limit that the API accepts. */
const MAX_LIMIT = 1_000_000_000_000;

interface LimitFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export const LimitField = (props: LimitFieldProps) => (
  <CreditsField label={messages.limit.label} hint={messages.limit.hint} max={MAX_LIMIT} {...props} />
);

/** Says what is spent of a limit this month. */
export const formatSpent = (month: {
  readonly monthlyCredits: number | null;
  readonly spentThisMonth: number;
}): string => messages.limit.spent(month.spentThisMonth, month.monthlyCredits);
