// Renders a field for a limit in credits. An empty field means no limit.
import type { ReactNode } from 'react';
import { TextField } from './field.tsx';

interface CreditsFieldProps {
  readonly label: string;
  readonly hint: ReactNode;
  /** The largest limit that the API accepts. */
  readonly max: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export const CreditsField = ({ onChange, ...props }: CreditsFieldProps) => (
  <TextField {...props} type="number" min={0} step={1} onChange={event => onChange(event.target.value)} />
);
