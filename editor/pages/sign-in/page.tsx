// Renders the sign-in page. The service redirects users who are already signed in.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import type { SecondStep } from '../../../sdk/src/schemas.ts';
import { AuthLayout } from '../../frame/auth-layout.tsx';
import { SignInForm } from '../../frame/sign-in-form.tsx';
import { Button, ButtonAnchor } from '../../kit/button.tsx';
import { apiQuery } from '../../lib/queries.ts';
import { getNextPath } from '../../lib/session.ts';
import { messages as sharedMessages } from '../../messages.ts';
import { ForgottenPassword } from './forgotten-password.tsx';
import styles from './page.module.css';

const messages = {
  openid: (host: string): string => `Continue with ${host}`,
  or: 'or',
  forgotten: 'Forgot your password?',
  needsAccount:
    'This link needs an account. If you have none, ask an administrator to invite the email with which it was shared.',
  needsSetup:
    'Nobody can sign in yet. Open the link that the service printed when it first started, or run “graphwright users setup-link” for a new one.',
  /** Why the sign-in failed, by the code in the query string. */
  refused: {
    expired: 'This sign-in expired or was started in another browser. Try again.',
    refused: 'The identity provider refused the sign-in. Try again.',
    unverified: 'Your email is not verified with the identity provider. Verify it there, then try again.',
    unknown: 'No account uses your email. Ask an administrator for an invitation.',
    linked:
      'The account with your email is linked to another identity. Sign in with that identity or with your password.',
    other: 'You signed in to another account. Sign in to the account that you use here.',
    disabled: 'Your account is disabled. Contact an administrator.',
    factor: 'Your account has a second factor. Confirm your identity with it.',
    unreachable: 'The identity provider is not responding. Try again in a few seconds.',
  },
} as const;

/** The second step of a sign-in at the identity provider, which the service passes in the fragment. */
const SECOND_STEP = readSecondStep(location.hash);

export function Page() {
  useEffect(() => history.replaceState(history.state, '', location.pathname + location.search), []);
  const search = useSearch();
  const nextPath = getNextPath(search);
  const { data: methods } = useQuery(apiQuery(['/auth/methods']));
  const [isForgotten, setForgotten] = useState(false);
  if (isForgotten) return <ForgottenPassword onClose={() => setForgotten(false)} />;
  return (
    <AuthLayout title={sharedMessages.signIn.title}>
      {nextPath.startsWith('/flow/') && <p>{messages.needsAccount}</p>}
      <SignInError reason={new URLSearchParams(search).get('refused')} />
      {methods?.needsSetup && <p>{messages.needsSetup}</p>}
      {methods?.openid && <OpenId {...methods.openid} nextPath={nextPath} />}
      {/* A full page load clears the state of a previous user from memory. */}
      <SignInForm
        secondStep={SECOND_STEP}
        offersPasskey={methods?.passkeys}
        onSignedIn={() => location.replace(nextPath)}
      />
      {methods?.mail ? (
        <Button variant="quiet" onClick={() => setForgotten(true)}>
          {messages.forgotten}
        </Button>
      ) : (
        <p className={styles.note}>{sharedMessages.signIn.forgotten}</p>
      )}
    </AuthLayout>
  );
}

function readSecondStep(hash: string): SecondStep | undefined {
  const encoded = /^#second-factor=([\w-]+)$/.exec(hash)?.[1];
  if (encoded === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), char =>
      char.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes)) as SecondStep;
  } catch {
    return undefined;
  }
}

function SignInError({ reason }: { readonly reason: string | null }) {
  if (reason === null || !Object.hasOwn(messages.refused, reason)) return null;
  return (
    <p className={styles.refusal} role="alert">
      {messages.refused[reason as keyof typeof messages.refused]}
    </p>
  );
}

interface OpenIdProps {
  readonly issuer: string;
  readonly startUrl: string;
  readonly nextPath: string;
}

/** Links to the identity provider, which redirects back after sign-in. */
function OpenId({ issuer, startUrl, nextPath }: OpenIdProps) {
  return (
    <>
      <ButtonAnchor href={`${startUrl}?next=${encodeURIComponent(nextPath)}`}>
        {messages.openid(new URL(issuer).host)}
      </ButtonAnchor>
      <p className={styles.or}>{messages.or}</p>
    </>
  );
}
