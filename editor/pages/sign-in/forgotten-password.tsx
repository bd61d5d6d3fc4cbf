// Renders the form that requests a link for a forgotten password.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { AuthLayout } from '../../frame/auth-layout.tsx';
import { Button } from '../../kit/button.tsx';
import { Failure } from '../../kit/failure.tsx';
import { TextField } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { api } from '../../lib/api.ts';
import { messages as sharedMessages } from '../../messages.ts';

const messages = {
  title: 'Forgot your password?',
  description: 'Enter the email of your account to get a link that sets a new password.',
  submit: 'Send the link',
  sentTitle: 'Check your mail',
  sent: (email: string): string =>
    `If an account has the email ${email}, a mail with a link is on its way. The link is valid for an hour and works once.`,
  again: 'No mail after a few minutes? Look in your spam folder, or ask an administrator.',
  back: 'Back to sign in',
} as const;

export function ForgottenPassword({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const request = useMutation({
    mutationFn: () => api.post('/auth/forgotten-password', { email: email.trim() }),
  });
  const back = (
    <Button variant="quiet" onClick={onClose}>
      {messages.back}
    </Button>
  );
  if (request.isSuccess)
    return (
      <AuthLayout title={messages.sentTitle} description={messages.sent(email.trim())}>
        <p>{messages.again}</p>
        {back}
      </AuthLayout>
    );
  return (
    <AuthLayout title={messages.title} description={messages.description}>
      <Form onSubmit={() => request.mutate()}>
        {request.error && <Failure error={request.error} />}
        <TextField
          label={sharedMessages.signIn.email}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={event => setEmail(event.target.value)}
        />
        <Button type="submit" variant="primary" isBusy={request.isPending}>
          {messages.submit}
        </Button>
      </Form>
      {back}
    </AuthLayout>
  );
}
