// Asks for the password again in a dialog over the current page, then repeats the request that needed it.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Failure } from '../kit/failure.tsx';
import { TextField } from '../kit/field.tsx';
import { Form } from '../kit/form.tsx';
import { api } from '../lib/api.ts';
import { useReauthentication } from '../lib/reauthentication.ts';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';

const reauthenticationMessages = messages.reauthentication;
/** Returns to a page that needs nothing but the session. */
const START = '/api/v1/auth/oidc?reauthenticate=true&next=/settings';

export function ReauthenticationDialog() {
  const { settle, methods } = useReauthentication();
  if (settle === undefined) return null;
  return (
    <Dialog title={reauthenticationMessages.title} onClose={() => settle(false)}>
      <p>{reauthenticationMessages.lead}</p>
      {methods.includes('password') && <PasswordProof onProved={() => settle(true)} />}
      {methods.includes('openid') && <OpenIdProof onProved={() => settle(true)} />}
    </Dialog>
  );
}

interface ProofProps {
  readonly onProved: () => void;
}

function PasswordProof({ onProved }: ProofProps) {
  const { email } = useSession().user;
  const [password, setPassword] = useState('');
  const prove = useMutation({
    mutationFn: () => api.post('/auth/reauthenticate', { password }),
    onSuccess: onProved,
  });
  return (
    <Form onSubmit={() => prove.mutate()}>
      {prove.error && <Failure error={prove.error} />}
      <input type="text" hidden autoComplete="username" readOnly value={email} />
      <TextField
        label={messages.signIn.password}
        type="password"
        autoComplete="current-password"
        required
        maxLength={256}
        value={password}
        onChange={event => setPassword(event.target.value)}
      />
      <Button type="submit" variant="primary" isBusy={prove.isPending}>
        {reauthenticationMessages.submit}
      </Button>
    </Form>
  );
}

/** In a tab of its own, so that this page keeps what was typed. */
function OpenIdProof({ onProved }: ProofProps) {
  return (
    <>
      <p>{reauthenticationMessages.openId}</p>
      <a href={START} target="_blank" rel="noreferrer">
        {reauthenticationMessages.openIdStart}
      </a>
      <Button onClick={onProved}>{reauthenticationMessages.openIdDone}</Button>
    </>
  );
}
