// Renders the field for the current password of a user.
import { TextField } from '../kit/field.tsx';
import { messages } from '../messages.ts';

interface PasswordFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
}

export function PasswordField({ label = messages.signIn.password, value, onChange }: PasswordFieldProps) {
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="current-password"
      required
      maxLength={256}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
