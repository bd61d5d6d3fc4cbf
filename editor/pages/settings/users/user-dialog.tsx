// Renders the dialogs for actions on an account.
import type { ReactNode } from 'react';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { CreditsDialog } from '../credits-dialog.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { messages } from './messages.ts';
import type { AccountLink } from './users.tsx';

export type ActionKind =
  | 'change'
  | 'addCredits'
  | 'invitationLink'
  | 'resetLink'
  | 'resetFactor'
  | 'disable'
  | 'enable'
  | 'delete';

export interface UserAction {
  readonly kind: ActionKind;
  readonly user: UserListItem;
}

interface DialogProps {
  readonly user: UserListItem;
  readonly onLink: (link: AccountLink) => void;
  readonly onClose: () => void;
}

const DIALOGS: Readonly<Record<ActionKind, (props: DialogProps) => ReactNode>> = {
  change: ChangeDialog,
  addCredits: AddCreditsDialog,
  invitationLink: props => (
    <PasswordLinkDialog {...props} kind="invite" title={messages.invitationLinkTitle(props.user.name)} />
  ),
  resetLink: props => (
    <PasswordLinkDialog {...props} kind="reset" title={messages.resetLinkTitle(props.user.name)} />
  ),
  resetFactor: ResetFactorDialog,
  disable: DisableDialog,
  enable: EnableDialog,
  delete: DeleteDialog,
};

export function UserDialog({
  action: { kind, user },
  ...rest
}: Omit<DialogProps, 'user'> & { readonly action: UserAction }) {
  const ActionDialog = DIALOGS[kind];
  return <ActionDialog user={user} {...rest} />;
}

function AddCreditsDialog({ user: { userId, name }, onClose }: DialogProps) {
  return (
    <CreditsDialog
      account={{ userId }}
      name={name}
      title={messages.addCreditsTitle(name)}
      submitText={messages.addCredits}
      affectedQueries={['/admin/users', '/credits', 'session']}
      onClose={onClose}
    />
  );
}

interface PasswordLinkProps extends DialogProps {
  readonly kind: 'invite' | 'reset';
  readonly title: string;
}

function PasswordLinkDialog({ kind, title, user: { name, email }, onLink, onClose }: PasswordLinkProps) {
  const createLink = async (): Promise<void> => {
    const { url, isMailed = false } = await api.post('/admin/password-links', { kind, email });
    onLink({ name, url, isMailed });
  };
  return (
    <FormDialog title={title} submitText={messages.createLink} onSubmit={createLink} onClose={onClose}>
      <p>{messages.passwordLinkText}</p>
    </FormDialog>
  );
}

function ResetFactorDialog({ user: { userId, name }, onClose }: DialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.resetFactorTitle(name)}
      action={messages.resetFactor}
      onConfirm={async () => {
        await api.post(`/admin/users/${userId}/reset-second-factor`);
        await reloadAndToast(messages.factorReset(name), ['/admin/users']);
      }}
      onClose={onClose}
    >
      {messages.resetFactorText}
    </ConfirmDialog>
  );
}

function DisableDialog({ user: { userId, name }, onClose }: DialogProps) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.disableTitle(name)}
      action={messages.disable}
      onConfirm={async () => {
        await api.patch(`/admin/users/${userId}`, { disabled: true });
        await reloadAndToast(messages.disableDone(name), ['/admin/users']);
      }}
      onClose={onClose}
    >
      {messages.disableText}
    </ConfirmDialog>
  );
}

function EnableDialog({ user: { userId, name }, onClose }: DialogProps) {
  const reloadAndToast = useReloadAndToast();
  const enable = async (): Promise<void> => {
    await api.patch(`/admin/users/${userId}`, { disabled: false });
    await reloadAndToast(messages.enabled(name), ['/admin/users']);
  };
  return (
    <FormDialog
      title={messages.enableTitle(name)}
      submitText={messages.enable}
      onSubmit={enable}
      onClose={onClose}
    >
      <p>{messages.enableText}</p>
    </FormDialog>
  );
}
