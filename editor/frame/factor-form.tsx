// Renders the form that proves a second factor, for sign-ins and confirmations.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactorInput, SecondStep } from '../../sdk/src/schemas.ts';
import { messages as factorMessages } from '../factor-messages.ts';
import { Button } from '../kit/button.tsx';
import { Failure } from '../kit/failure.tsx';
import { TextField } from '../kit/field.tsx';
import { Form } from '../kit/form.tsx';
import { type PasskeyRequest, signWithPasskey } from '../lib/passkeys.ts';

export type FactorMethod = SecondStep['methods'][number];
export type FactorProof = Omit<SecondFactorInput, 'challenge'>;

interface FactorFormProps {
  readonly methods: readonly FactorMethod[];
  /** Returns the request for a passkey. */
  readonly requestPasskey: () => PasskeyRequest | Promise<PasskeyRequest>;
  readonly prove: (proof: FactorProof) => Promise<unknown>;
  readonly onProved: () => void;
}

export function FactorForm({ methods, requestPasskey, prove, onProved }: FactorFormProps) {
  const [method, setMethod] = useState(methods[0]);
  const otherMethods = methods.filter(each => each !== method);
  const proofProps = { prove, onProved };
  return (
    <>
      {method === 'passkey' && <PasskeyProof {...proofProps} requestPasskey={requestPasskey} />}
      {method === 'totp' && <CodeProof key="totp" {...proofProps} name="code" />}
      {method === 'recovery_code' && <CodeProof key="recovery" {...proofProps} name="recoveryCode" />}
      {otherMethods.map(each => (
        <Button key={each} variant="quiet" onClick={() => setMethod(each)}>
          {factorMessages.use[each]}
        </Button>
      ))}
    </>
  );
}

type ProofProps = Pick<FactorFormProps, 'prove' | 'onProved'>;

function PasskeyProof({
  requestPasskey,
  prove,
  onProved,
}: ProofProps & Pick<FactorFormProps, 'requestPasskey'>) {
  const submit = useMutation({
    mutationFn: async () => {
      const assertion = await signWithPasskey(await requestPasskey());
      return prove({ assertion } as FactorProof);
    },
    onSuccess: onProved,
  });
  return (
    <Form onSubmit={() => submit.mutate()}>
      {submit.error && <Failure error={submit.error} />}
      <p>{factorMessages.passkeyText}</p>
      <Button type="submit" variant="primary" isBusy={submit.isPending} autoFocus>
        {factorMessages.passkeySubmit}
      </Button>
    </Form>
  );
}

const CODE_INPUTS = {
  code: { inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 8 },
  recoveryCode: { autoComplete: 'off', maxLength: 64 },
} as const;

function CodeProof({ name, prove, onProved }: ProofProps & { readonly name: keyof typeof CODE_INPUTS }) {
  const [code, setCode] = useState('');
  const submit = useMutation({ mutationFn: () => prove({ [name]: code.trim() }), onSuccess: onProved });
  return (
    <Form onSubmit={() => submit.mutate()}>
      {submit.error && <Failure error={submit.error} />}
      <TextField
        label={factorMessages.fields[name]}
        hint={factorMessages.hints[name]}
        {...CODE_INPUTS[name]}
        required
        autoFocus
        spellCheck={false}
        value={code}
        onChange={event => setCode(event.target.value)}
      />
      <Button type="submit" variant="primary" isBusy={submit.isPending}>
        {factorMessages.submit}
      </Button>
    </Form>
  );
}
