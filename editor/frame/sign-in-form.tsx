// Renders the sign-in form, used by the sign-in page and by the dialog for expired sessions.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Failure } from '../kit/failure.tsx';
import { PasswordField, TextField } from '../kit/field.tsx';
import { Form } from '../kit/form.tsx';
import { api } from '../lib/api.ts';
import { messages } from '../messages.ts';

interface SignInFormProps {
  /** The email of the user who must sign in again. If undefined, anyone can sign in. */
  readonly email?: string | undefined;
  readonly onSignedIn: () => void;
}

export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const [password, setPassword] = useState('');
  const [typedEmail, setTypedEmail] = useState(email ?? '');
  const signIn = useMutation({
    mutationFn: () => api.post('/auth/sign-in', { email: typedEmail.trim(), password }),
    onSuccess: onSignedIn,
  });
  const signInMessages = messages.signIn;
  return (
    <Form onSubmit={() => signIn.mutate()}>
      {signIn.error && <Failure error={signIn.error} />}
      <TextField
        label={signInMessages.email}
        type="email"
        autoComplete="username"
        required
        readOnly={email !== undefined}
        value={typedEmail}
        onChange={event => setTypedEmail(event.target.value)}
      />
      <PasswordField value={password} onChange={setPassword} />
      <Button type="submit" variant="primary" isBusy={signIn.isPending}>
        {signInMessages.submit}
      </Button>
    </Form>
  );
}
