// Renders the page that users open by a setup, invitation or password reset link. They set a password there.
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../sdk/src/errors.ts';
import type { SecondStep } from '../../../sdk/src/schemas.ts';
import { AuthLayout } from '../../frame/auth-layout.tsx';
import { SignInForm } from '../../frame/sign-in-form.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Failure } from '../../kit/failure.tsx';
import { CheckField, TextField } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { HiddenField } from '../../kit/hidden-field.tsx';
import { useForm } from '../../kit/use-form.ts';
import { api } from '../../lib/api.ts';
import { getNextPath } from '../../lib/session.ts';
import { messages } from '../../messages.ts';
import { messages as setupMessages } from './messages.ts';

interface LinkKind {
  readonly title: string;
  readonly description: string;
  readonly submitText: string;
  readonly path: string;
  /** Whether the user chooses email and name, as only the first user does. */
  readonly hasProfile: boolean;
  /** Whether the form offers to revoke keys, which only an existing account has. */
  readonly canRevokeKeys?: boolean;
}

/** The kinds of links by the prefix of their token. */
const LINK_KINDS: Readonly<Record<string, LinkKind>> = {
  setup: {
    title: setupMessages.title,
    description: setupMessages.description,
    submitText: setupMessages.submit,
    path: '/auth/setup',
    hasProfile: true,
  },
  invite: {
    title: setupMessages.inviteTitle,
    description: setupMessages.inviteDescription,
    submitText: setupMessages.inviteSubmit,
    path: '/auth/accept-invite',
    hasProfile: false,
  },
  reset: {
    title: setupMessages.resetTitle,
    description: setupMessages.resetDescription,
    submitText: setupMessages.inviteSubmit,
    path: '/auth/accept-invite',
    hasProfile: false,
    canRevokeKeys: true,
  },
};

// Read when the module loads, because `watchAddress` removes the token from the URL.
const TOKEN = location.hash.slice(1);
const NEXT_PATH = getNextPath(location.search);

export function Page() {
  useEffect(watchAddress, []);
  const kind = LINK_KINDS[TOKEN.split('_', 1)[0] ?? ''];
  const [isUsed, setUsed] = useState(false);
  const [secondStep, setSecondStep] = useState<SecondStep>();
  if (secondStep !== undefined)
    return (
      <AuthLayout title={messages.signIn.title}>
        <SignInForm secondStep={secondStep} onSignedIn={openNextPage} />
      </AuthLayout>
    );
  if (kind === undefined || isUsed)
    return (
      <AuthLayout
        title={isUsed ? setupMessages.expiredTitle : setupMessages.incompleteTitle}
        description={isUsed ? setupMessages.expired : setupMessages.incomplete}
      >
        <ButtonLink href="/sign-in">{setupMessages.signIn}</ButtonLink>
      </AuthLayout>
    );
  return (
    <AuthLayout title={kind.title} description={kind.description}>
      <SetUpForm kind={kind} token={TOKEN} onUsed={() => setUsed(true)} onSecondStep={setSecondStep} />
    </AuthLayout>
  );
}

/**
 * Removes the token from the URL, so that it does not stay in the browser history. Reloads the page when another link is
 * opened in this tab.
 */
function watchAddress(): () => void {
  history.replaceState(history.state, '', location.pathname);
  const reload = (): void => location.reload();
  window.addEventListener('hashchange', reload);
  return () => window.removeEventListener('hashchange', reload);
}

interface SetUpFormProps {
  readonly kind: LinkKind;
  readonly token: string;
  readonly onUsed: () => void;
  /** Called if the account has a second factor. */
  readonly onSecondStep: (step: SecondStep) => void;
}

const openNextPage = (): void => location.replace(NEXT_PATH);

function SetUpForm({ kind, token, onUsed, onSecondStep }: SetUpFormProps) {
  const { values, field, check } = useForm({ email: '', name: '', password: '', revokeKeys: false });
  const { email, name, password, revokeKeys } = values;
  const submit = useMutation({
    mutationFn: () =>
      api.post<SecondStep | undefined>(kind.path, {
        token,
        password,
        ...(kind.hasProfile ? { email, name } : {}),
        ...(kind.canRevokeKeys ? { revokeKeys } : {}),
      }),
    onSuccess: step => (step === undefined ? openNextPage() : onSecondStep(step)),
    onError: error => {
      if (error instanceof ApiError && error.code === 'invalid_link') onUsed();
    },
  });
  return (
    <Form onSubmit={() => submit.mutate()}>
      {submit.error && <Failure error={submit.error} />}
      {kind.hasProfile && (
        <>
          <TextField
            label={setupMessages.name}
            autoComplete="name"
            required
            maxLength={100}
            {...field('name')}
          />
          <TextField
            label={setupMessages.email}
            type="email"
            autoComplete="username"
            required
            {...field('email')}
          />
        </>
      )}
      <HiddenField
        label={setupMessages.password}
        hint={setupMessages.passwordHint}
        autoComplete="new-password"
        required
        minLength={10}
        maxLength={256}
        {...field('password')}
      />
      {kind.canRevokeKeys && <CheckField label={setupMessages.revokeKeys} {...check('revokeKeys')} />}
      <Button type="submit" variant="primary" isBusy={submit.isPending}>
        {kind.submitText}
      </Button>
    </Form>
  );
}
