// Renders a dialog over the current page that asks the user to sign in again, so that no work is lost.
import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../kit/dialog.tsx';
import { useExpiredSession } from '../lib/expired-session.ts';
import { SESSION_KEY } from '../lib/session.ts';
import { messages } from '../messages.ts';
import { SignInForm } from './sign-in-form.tsx';

export function ExpiredSessionDialog() {
  const { settle, email } = useExpiredSession();
  const client = useQueryClient();
  if (settle === undefined || email === undefined) return null;
  return (
    <Dialog title={messages.signIn.sessionEnded} onClose={() => settle(false)}>
      <p>{messages.signIn.sessionEndedText(email)}</p>
      <SignInForm
        email={email}
        onSignedIn={() => {
          settle(true);
          void client.invalidateQueries({ queryKey: SESSION_KEY });
        }}
      />
      <a href="/sign-in">{messages.signIn.otherAccount}</a>
    </Dialog>
  );
}
