// Renders the sign-in form with its second step, used by the sign-in page and by the dialog for expired sessions.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondStep } from '../../sdk/src/schemas.ts';
import { messages as factorMessages } from '../factor-messages.ts';
import { Button } from '../kit/button.tsx';
import { Failure } from '../kit/failure.tsx';
import { TextField } from '../kit/field.tsx';
import { Form } from '../kit/form.tsx';
import { PasswordField } from '../kit/hidden-field.tsx';
import { api } from '../lib/api.ts';
import { signWithPasskey } from '../lib/passkeys.ts';
import { messages } from '../messages.ts';
import { FactorForm } from './factor-form.tsx';

interface SignInFormProps {
  /** The email of the user who must sign in again. If undefined, anyone can sign in. */
  readonly email?: string | undefined;
  /** The second step of a sign-in that began at an identity provider. */
  readonly secondStep?: SecondStep | undefined;
  /** Whether anyone can sign in with a passkey alone. */
  readonly offersPasskey?: boolean | undefined;
  readonly onSignedIn: () => void;
}

export function SignInForm({ secondStep, onSignedIn, ...firstStep }: SignInFormProps) {
  const [step, setStep] = useState(secondStep);
  if (step === undefined) return <FirstStep {...firstStep} onSecondStep={setStep} onSignedIn={onSignedIn} />;
  const { challenge, methods, passkey } = step;
  return (
    <>
      <FactorForm
        methods={methods}
        requestPasskey={() => passkey ?? {}}
        prove={proof => api.post('/auth/second-factor', { challenge, ...proof })}
        onProved={onSignedIn}
      />
      <Button variant="quiet" onClick={() => setStep(undefined)}>
        {factorMessages.startAgain}
      </Button>
    </>
  );
}

interface FirstStepProps extends Omit<SignInFormProps, 'secondStep'> {
  readonly onSecondStep: (step: SecondStep) => void;
}

function FirstStep({ email, offersPasskey = false, onSecondStep, onSignedIn }: FirstStepProps) {
  const [password, setPassword] = useState('');
  const [typedEmail, setTypedEmail] = useState(email ?? '');
  const signIn = useMutation({
    mutationFn: () =>
      api.post<SecondStep | undefined>('/auth/sign-in', { email: typedEmail.trim(), password }),
    onSuccess: step => (step === undefined ? onSignedIn() : onSecondStep(step)),
  });
  const signInMessages = messages.signIn;
  return (
    <>
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
      {offersPasskey && <PasskeySignIn onSignedIn={onSignedIn} />}
    </>
  );
}

function PasskeySignIn({ onSignedIn }: Pick<SignInFormProps, 'onSignedIn'>) {
  const signIn = useMutation({
    mutationFn: async () => {
      const { challenge, passkey } = await api.post('/auth/sign-in/passkey');
      const assertion = await signWithPasskey(passkey ?? {});
      return api.post('/auth/second-factor', { challenge, assertion });
    },
    onSuccess: onSignedIn,
  });
  return (
    <>
      {signIn.error && <Failure error={signIn.error} />}
      <Button isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
        {messages.signIn.withPasskey}
      </Button>
    </>
  );
}
