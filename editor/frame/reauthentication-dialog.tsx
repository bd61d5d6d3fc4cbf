// Renders a dialog over the current page that asks users to confirm their identity. Requests that need the confirmation
// then continue.
import { Dialog } from '../kit/dialog.tsx';
import { useReauthentication } from '../lib/reauthentication.ts';
import { messages } from '../messages.ts';
import { ConfirmationForms } from './confirmation-forms.tsx';

export function ReauthenticationDialog() {
  const { settle, methods } = useReauthentication();
  if (settle === undefined) return null;
  return (
    <Dialog title={messages.reauthentication.title} onClose={() => settle(false)}>
      <p>{messages.reauthentication.description}</p>
      <ConfirmationForms methods={methods} onConfirmed={() => settle(true)} />
    </Dialog>
  );
}
