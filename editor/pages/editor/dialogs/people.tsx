// Renders the access to the workflow: people by email, and everyone with the link.
import Globe from 'icon:globe';
import Send from 'icon:send';
import Close from 'icon:x';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { Permission } from '../../../../sdk/src/schemas.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { showError } from '../../../kit/failure.tsx';
import fieldStyles from '../../../kit/field.module.css';
import { renderOptions, SelectField, TextField } from '../../../kit/field.tsx';
import formStyles from '../../../kit/form.module.css';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import styles from './dialogs.module.css';
import { createAccountsQuery, findAccount, InvitationDialog } from './invitation.tsx';
import { dialogMessages } from './messages.ts';
import { useWorkflowMutation } from './restricted-dialog.tsx';
import type { ShareTabProps } from './share.tsx';

const shareMessages = dialogMessages.share;

export function PeopleTab({ workflow, path, renderActions }: ShareTabProps) {
  const formId = useId();
  const permissionsPath = `${path}/permissions` as const;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('VIEW');
  const [invited, setInvited] = useState<string>();
  const { user } = useSession();
  const client = useQueryClient();
  const { data } = useQuery(apiQuery([permissionsPath]));
  const share = useWorkflowMutation(permissionsPath, () => api.put(permissionsPath, { email, role }));
  const remove = useWorkflowMutation(permissionsPath, (person: string) =>
    api.delete(`${permissionsPath}/${encodeURIComponent(person)}`),
  );
  /** Asks an administrator to create the account if the person has none. */
  const offerAccount = async (person: string): Promise<void> => {
    const account = findAccount(person, await client.fetchQuery(createAccountsQuery(person)));
    if (account?.hasPassword !== true) setInvited(person);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The user may be typing the next email.
    share.mutate(undefined, {
      onSuccess: () => {
        setEmail(current => (current === email ? '' : current));
        if (user.isAdmin) void offerAccount(email.trim()).catch(showError);
      },
    });
  };
  return (
    <div className={styles.part}>
      <form id={formId} className={styles.line} onSubmit={submit}>
        <TextField
          label={shareMessages.email}
          type="email"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <SelectField
          label={shareMessages.role}
          value={role}
          onChange={({ target }) => setRole(target.value)}
          options={shareMessages.roles}
        />
      </form>
      <p className={formStyles.muted}>{shareMessages.inviteHint}</p>
      <h3>{shareMessages.access}</h3>
      <LinkAccess workflow={workflow} path={path} />
      {data?.data.length === 0 && <p className={formStyles.muted}>{shareMessages.noPeople}</p>}
      <ul className={styles.rows}>
        {data?.data.map(share => (
          <Person
            key={share.email ?? share.userId}
            share={share}
            path={permissionsPath}
            onRemove={person => remove.mutate(person)}
            onSendLink={setInvited}
          />
        ))}
      </ul>
      {invited !== undefined && (
        <InvitationDialog
          email={invited}
          path={`/flow/${workflow.id}`}
          onClose={() => setInvited(undefined)}
        />
      )}
      {renderActions(
        <>
          <CopyButton
            text={`${location.origin}/flow/${workflow.id}`}
            label={shareMessages.copyLink}
            isLabeled
          />
          <Button type="submit" form={formId} variant="primary" isBusy={share.isPending}>
            {shareMessages.invite}
          </Button>
        </>,
      )}
    </div>
  );
}

function LinkAccess({ workflow, path }: Pick<ShareTabProps, 'workflow' | 'path'>) {
  const change = useWorkflowMutation(path, (linkPermission: string) =>
    api.post(`${path}/visibility`, { linkPermission }),
  );
  return (
    <div className={styles.link}>
      <Globe />
      <SelectField
        label={shareMessages.link}
        value={workflow.linkPermission}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate(target.value)}
        options={shareMessages.links}
      />
    </div>
  );
}

interface PersonProps {
  readonly share: Permission;
  readonly path: string;
  /** Called with the email or, if there is none, the user id. */
  readonly onRemove: (person: string) => void;
  readonly onSendLink: (email: string) => void;
}

/** People added by email have no name until they open the workflow. */
function Person({ share: { userId, name, email, role }, path, onRemove, onSendLink }: PersonProps) {
  const person = email === null ? { userId } : { email };
  const changeRole = useWorkflowMutation(path, (newRole: string) =>
    api.put(path, { ...person, role: newRole }),
  );
  const displayName = name ?? email ?? '';
  return (
    <li className={styles.row}>
      <span className={styles.grow}>
        {displayName}
        {name !== null && email !== null && <span className={formStyles.muted}> {email}</span>}
        {name === null && <span className={formStyles.muted}> {shareMessages.notOpened}</span>}
      </span>
      {name === null && email !== null && (
        <Button
          size="s"
          variant="quiet"
          icon={Send}
          aria-label={shareMessages.sendLinkTo(email)}
          onClick={() => onSendLink(email)}
        >
          {shareMessages.sendLink}
        </Button>
      )}
      <select
        aria-label={shareMessages.roleOf(displayName)}
        className={fieldStyles.inRow}
        // Shows the new role until the list is reloaded.
        value={changeRole.isPending ? changeRole.variables : role}
        onChange={({ target }) => changeRole.mutate(target.value)}
      >
        {renderOptions(shareMessages.roles)}
      </select>
      <IconButton
        icon={Close}
        size="s"
        label={shareMessages.remove(displayName)}
        onClick={() => onRemove(email ?? String(userId))}
      />
    </li>
  );
}
