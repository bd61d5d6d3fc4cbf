// Renders the share dialog: people, link access, publishing.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Permission } from '../../../../sdk/src/schemas.ts';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { messages } from '../../../flow-messages.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { api } from '../../../lib/api.ts';
import styles from './dialogs.module.css';
import { OwnerDialog, useWorkflowMutation } from './owner-dialog.tsx';
import { PublishSection } from './publish.tsx';

const shareMessages = messages.flow.share;

export function ShareDialog({ onClose }: { readonly onClose: () => void }) {
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  return (
    <OwnerDialog
      title={shareMessages.title}
      ownerOnly={shareMessages.ownerOnly}
      onClose={onClose}
      actions={<div ref={setFooter} className={styles.buttons} />}
    >
      {(workflow, path) => (
        <>
          <LinkSection workflow={workflow} path={path} />
          <PeopleSection path={path} />
          <PublishSection workflow={workflow} path={path} footer={footer} />
        </>
      )}
    </OwnerDialog>
  );
}

interface SectionProps {
  readonly workflow: WorkflowInfo;
  readonly path: string;
}

function LinkSection({ workflow, path }: SectionProps) {
  const change = useWorkflowMutation(path, (linkPermission: string) =>
    api.post(`${path}/visibility`, { linkPermission }),
  );
  const address = `${location.origin}/flow/${workflow.id}`;
  return (
    <div className={styles.line}>
      <SelectField
        label={shareMessages.link}
        value={workflow.linkPermission}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate(target.value)}
      >
        {Object.entries(shareMessages.links).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </SelectField>
      <CopyButton text={address} label={shareMessages.copyLink} />
    </div>
  );
}

function PeopleSection({ path }: Pick<SectionProps, 'path'>) {
  const permissionsPath = `${path}/permissions`;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('VIEW');
  const { data } = useQuery({
    queryKey: [permissionsPath],
    queryFn: ({ signal }) => api.get<{ data: readonly Permission[] }>(permissionsPath, { signal }),
  });
  const share = useWorkflowMutation(permissionsPath, () => api.put(permissionsPath, { email, role }));
  const remove = useWorkflowMutation(permissionsPath, (person: string) =>
    api.delete(`${permissionsPath}/${encodeURIComponent(person)}`),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    share.mutate(undefined, { onSuccess: () => setEmail('') });
  };
  return (
    <section className={styles.part}>
      <h3>{shareMessages.people}</h3>
      {data?.data.length === 0 && <p className={styles.soft}>{shareMessages.noPeople}</p>}
      <ul className={styles.rows}>
        {data?.data.map(share => (
          <Person
            key={share.email ?? share.userId}
            share={share}
            onRemove={person => remove.mutate(person)}
          />
        ))}
      </ul>
      <form className={styles.line} onSubmit={submit}>
        <TextField
          label={shareMessages.email}
          type="email"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <SelectField label={shareMessages.role} value={role} onChange={({ target }) => setRole(target.value)}>
          {Object.entries(shareMessages.roles).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
        <Button type="submit" isBusy={share.isPending}>
          {shareMessages.add}
        </Button>
      </form>
    </section>
  );
}

interface PersonProps {
  readonly share: Permission;
  /** Called with the email or, if there is none, the user id. */
  readonly onRemove: (person: string) => void;
}

/** People added by email have no name until they open the workflow. */
function Person({ share: { userId, name, email, role }, onRemove }: PersonProps) {
  const displayName = name ?? email ?? '';
  return (
    <li className={styles.row}>
      <span className={styles.grow}>
        {displayName}
        {name !== null && email !== null && <span className={styles.soft}> {email}</span>}
        {name === null && <span className={styles.soft}> {shareMessages.notOpened}</span>}
      </span>
      <Badge>{shareMessages.roles[role] ?? role}</Badge>
      <Button
        size="s"
        variant="quiet"
        aria-label={shareMessages.remove(displayName)}
        onClick={() => onRemove(email ?? String(userId))}
      >
        {shareMessages.removePerson}
      </Button>
    </li>
  );
}
