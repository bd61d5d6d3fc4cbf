// Sign-in. Whoever is signed in already was led on by the service.
import { useSearch } from 'wouter';
import { Door } from '../../frame/door.tsx';
import { SignInForm } from '../../frame/sign-in-form.tsx';
import { nextPath } from '../../lib/session.ts';
import { messages } from '../../messages.ts';
import styles from './page.module.css';

export function Page() {
  const next = nextPath(useSearch());
  return (
    <Door title={messages.signIn.title}>
      {/* A new page: nothing of whoever was here before stays in memory. */}
      <SignInForm onSignedIn={() => location.replace(next)} />
      <p className={styles.note}>{messages.signIn.forgotten}</p>
    </Door>
  );
}
