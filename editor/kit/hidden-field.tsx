// Renders fields whose text is hidden until the button beside it is pressed, because typing unseen fails on phones.

import Eye from 'icon:eye';
import EyeOff from 'icon:eye-off';
import { useState } from 'react';
import { messages } from '../messages.ts';
import { IconButton } from './button.tsx';
import { type InputProps, TextField } from './field.tsx';

export function HiddenField(props: InputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      type="password"
      {...props}
      {...(isShown && { type: 'text', autoCapitalize: 'none', spellCheck: false })}
      beside={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={isShown ? messages.hideTyped : messages.showTyped}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}

interface PasswordFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
}

export function PasswordField({ label = messages.signIn.password, value, onChange }: PasswordFieldProps) {
  return (
    <HiddenField
      label={label}
      autoComplete="current-password"
      required
      maxLength={256}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
