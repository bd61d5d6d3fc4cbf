// Renders the sign-in page. The service redirects users who are already signed in.
import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import type { SignInMethods } from '../../../sdk/src/schemas.ts';
import { AuthLayout } from '../../frame/auth-layout.tsx';
import { SignInForm } from '../../frame/sign-in-form.tsx';
import { ButtonAnchor } from '../../kit/button.tsx';
import { api } from '../../lib/api.ts';
import { getNextPath } from '../../lib/session.ts';
import { messages as appMessages } from '../../messages.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

export function Page() {
  const search = useSearch();
  const next = getNextPath(search);
  const { data: methods } = useQuery({
    queryKey: ['/auth/methods'],
    queryFn: ({ signal }) => api.get<SignInMethods>('/auth/methods', { signal }),
  });
  return (
    <AuthLayout title={appMessages.signIn.title}>
      <Refusal reason={new URLSearchParams(search).get('refused')} />
      {methods?.needsSetup && <p>{messages.needsSetup}</p>}
      {methods?.openid && <OpenId {...methods.openid} next={next} />}
      {/* A full page load clears the state of a previous user from memory. */}
      <SignInForm onSignedIn={() => location.replace(next)} />
      <p className={styles.note}>{appMessages.signIn.forgotten}</p>
    </AuthLayout>
  );
}

function Refusal({ reason }: { readonly reason: string | null }) {
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
  readonly next: string;
}

/** A plain link: the browser goes to the identity provider and comes back signed in. */
function OpenId({ issuer, startUrl, next }: OpenIdProps) {
  return (
    <>
      <ButtonAnchor href={`${startUrl}?next=${encodeURIComponent(next)}`}>
        {messages.openid(new URL(issuer).host)}
      </ButtonAnchor>
      <p className={styles.or}>{messages.or}</p>
    </>
  );
}
