// Renders the forms with which users confirm their identity.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Failure } from '../kit/failure.tsx';
import { Form } from '../kit/form.tsx';
import { PasswordField } from '../kit/hidden-field.tsx';
import { api } from '../lib/api.ts';
import type { ReauthenticationMethod } from '../lib/reauthentication.ts';
import { useSession } from '../lib/session.ts';
import { messages } from '../messages.ts';
import { FactorForm } from './factor-form.tsx';

const reauthenticationMessages = messages.reauthentication;
/** After the confirmation, the service redirects to the settings. */
const OPENID_URL = '/api/v1/auth/oidc?reauthenticate=true&next=/settings';

interface ConfirmationProps {
  readonly onConfirmed: () => void;
}

interface ConfirmationFormsProps extends ConfirmationProps {
  readonly methods: readonly ReauthenticationMethod[];
}

export function ConfirmationForms({ methods, onConfirmed }: ConfirmationFormsProps) {
  const factorMethods = methods.filter(method => method !== 'password' && method !== 'openid');
  return (
    <>
      {factorMethods.length > 0 && (
        <FactorForm
          methods={factorMethods}
          requestPasskey={async () => (await api.post('/auth/reauthenticate/options')).passkey ?? {}}
          prove={proof => api.post('/auth/reauthenticate', proof)}
          onProved={onConfirmed}
        />
      )}
      {methods.includes('password') && <PasswordForm onConfirmed={onConfirmed} />}
      {methods.includes('openid') && <OpenIdConfirmation onConfirmed={onConfirmed} />}
    </>
  );
}

function PasswordForm({ onConfirmed }: ConfirmationProps) {
  const { email } = useSession().user;
  const [password, setPassword] = useState('');
  const confirm = useMutation({
    mutationFn: () => api.post('/auth/reauthenticate', { password }),
    onSuccess: onConfirmed,
  });
  return (
    <Form onSubmit={() => confirm.mutate()}>
      {confirm.error && <Failure error={confirm.error} />}
      <input type="text" hidden autoComplete="username" readOnly value={email} />
      <PasswordField value={password} onChange={setPassword} />
      <Button type="submit" variant="primary" isBusy={confirm.isPending}>
        {reauthenticationMessages.submit}
      </Button>
    </Form>
  );
}

/** Opens the identity provider in another tab, so that this page keeps its state. */
function OpenIdConfirmation({ onConfirmed }: ConfirmationProps) {
  return (
    <>
      <p>{reauthenticationMessages.openId}</p>
      <a href={OPENID_URL} target="_blank" rel="noreferrer">
        {reauthenticationMessages.openIdStart}
      </a>
      <Button onClick={onConfirmed}>{reauthenticationMessages.openIdDone}</Button>
    </>
  );
}
