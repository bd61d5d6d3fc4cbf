// Renders what a person who has not opened the shared workflow needs: the link or, from an administrator, an account.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserListItem } from '../../../../sdk/src/schemas.ts';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import styles from './dialogs.module.css';
import { dialogMessages } from './messages.ts';

const { invitation: messages } = dialogMessages;

interface InvitationProps {
  readonly email: string;
  /** The path of the shared workflow. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Queries the accounts whose email contains this one. Only administrators may. */
export const createAccountsQuery = (email: string) => ({
  ...apiQuery(['/admin/users'], { query: email, limit: 200 }),
  staleTime: 0,
});

export function findAccount(email: string, { data }: { readonly data: readonly UserListItem[] }) {
  return data.find(each => each.email.toLowerCase() === email.toLowerCase());
}

/** Only administrators learn whether the person has an account, because only they may list accounts. */
export function InvitationDialog(props: InvitationProps) {
  const { user } = useSession();
  return user.isAdmin ? <AccountInvitation {...props} /> : <LinkDialog {...props} text={messages.askAdmin} />;
}

function AccountInvitation({ email, path, onClose }: InvitationProps) {
  const users = useQuery(createAccountsQuery(email));
  const [link, setLink] = useState<AccountLink>();
  if (link !== undefined) {
    const text = link.isMailed ? messages.mailedLink(email) : messages.accountLink(email);
    return <LinkDialog {...{ email, onClose }} url={link.url} text={text} />;
  }
  if (users.data === undefined)
    return (
      <Dialog title={messages.title(email)} onClose={onClose}>
        <QueryResult query={users}>{() => null}</QueryResult>
      </Dialog>
    );
  const account = findAccount(email, users.data);
  if (account?.hasPassword)
    return <LinkDialog {...{ email, path, onClose }} text={messages.hasAccount(account.name)} />;
  return <InviteForm {...{ email, path, onClose }} invitedName={account?.name} onLink={setLink} />;
}

/** A link with which the person chooses a password. */
interface AccountLink {
  readonly url: string;
  /** Whether the service mails the link, too. */
  readonly isMailed: boolean;
}

interface InviteFormProps extends InvitationProps {
  /** The name of an account that was invited before. */
  readonly invitedName: string | undefined;
  readonly onLink: (link: AccountLink) => void;
}

function InviteForm({ email, path, invitedName, onLink, onClose }: InviteFormProps) {
  const [name, setName] = useState(invitedName ?? toName(email));
  const { data: plans } = useQuery(apiQuery(['/admin/plans']));
  const createLink = async (): Promise<void> => {
    if (invitedName === undefined) {
      const { inviteUrl = '', isMailed = false } = await api.post('/admin/users', {
        email,
        name,
        invite: true,
        next: path,
      });
      onLink({ url: inviteUrl, isMailed });
    } else {
      const { url, isMailed = false } = await api.post('/admin/password-links', {
        kind: 'invite',
        email,
        next: path,
      });
      onLink({ url, isMailed });
    }
  };
  return (
    <FormDialog
      title={messages.title(email)}
      submitText={messages.create}
      onSubmit={createLink}
      onClose={isSaved => !isSaved && onClose()}
    >
      <p>{invitedName === undefined ? messages.noAccount : messages.invitedBefore(invitedName)}</p>
      {invitedName === undefined && (
        <TextField
          label={messages.name}
          hint={plans && messages.defaults(plans.newAccountCredits)}
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      )}
    </FormDialog>
  );
}

/** Makes a name from the email: "ana.lopez@example.com" becomes "Ana Lopez". */
function toName(email: string): string {
  const words = (email.split('@', 1)[0] ?? '').split(/[._-]+/).filter(word => word !== '');
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

interface LinkDialogProps {
  readonly email: string;
  readonly text: string;
  readonly onClose: () => void;
  /** The link to send. Default: that of the workflow. */
  readonly url?: string;
  readonly path?: string;
}

function LinkDialog({ email, text, path = '', url = `${location.origin}${path}`, onClose }: LinkDialogProps) {
  return (
    <Dialog
      title={messages.title(email)}
      onClose={onClose}
      actions={<CopyButton text={url} label={dialogMessages.share.copyLink} isLabeled />}
    >
      <p>{text}</p>
      <div className={styles.part}>
        <TextField
          label={messages.link}
          value={url}
          readOnly
          spellCheck={false}
          onFocus={event => event.target.select()}
        />
      </div>
    </Dialog>
  );
}
