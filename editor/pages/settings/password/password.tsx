// Renders the form that changes the user's password.
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../../kit/button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { Form } from '../../../kit/form.tsx';
import { HiddenField, PasswordField } from '../../../kit/hidden-field.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { useForm } from '../../../kit/use-form.ts';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Narrow } from '../section.tsx';

const messages = {
  description: 'Changing your password signs you out everywhere else.',
  revokeKeys: 'Also revoke API keys and disconnect apps',
  revokeKeysHint: 'Recommended if someone else may have had access to your account.',
  current: 'Current password',
  next: 'New password',
  hint: 'At least 10 characters.',
  submit: 'Change password',
  changed: 'Your password was changed and your other sessions were signed out.',
} as const;

export function Password() {
  return (
    <>
      <PageHead title={settingsMessages.parts.password} />
      <Introduction>{messages.description}</Introduction>
      <Narrow>
        <PasswordForm />
      </Narrow>
    </>
  );
}

const EMPTY_FORM = { current: '', next: '', revokeKeys: false };

function PasswordForm() {
  const { email } = useSession().user;
  const { values, update, field, check } = useForm(EMPTY_FORM);
  const reloadAndToast = useReloadAndToast();
  const change = useMutation({
    mutationFn: () => api.post('/auth/password', values),
    onSuccess: () => {
      update(EMPTY_FORM);
      return reloadAndToast(messages.changed, ['/auth/sessions', 'session', '/keys', '/connections']);
    },
  });
  return (
    <Form onSubmit={() => change.mutate()}>
      {/* Password managers need the email to find the account. */}
      <input type="text" hidden autoComplete="username" readOnly value={email} />
      <PasswordField
        label={messages.current}
        value={values.current}
        onChange={current => update({ current })}
      />
      <HiddenField
        label={messages.next}
        hint={messages.hint}
        autoComplete="new-password"
        required
        minLength={10}
        maxLength={256}
        {...field('next')}
      />
      <CheckField label={messages.revokeKeys} hint={messages.revokeKeysHint} {...check('revokeKeys')} />
      {change.error && <Failure error={change.error} />}
      <Button type="submit" variant="primary" isBusy={change.isPending}>
        {messages.submit}
      </Button>
    </Form>
  );
}
