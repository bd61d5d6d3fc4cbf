// Renders the secrets of the workflow. Only its creator can view and set them.

import Trash from 'icon:trash-2';
import { type FormEvent, useState } from 'react';
import type { Secret } from '../../../board/remote.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import formStyles from '../../../kit/form.module.css';
import { HiddenField } from '../../../kit/hidden-field.tsx';
import { api } from '../../../lib/api.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import styles from './dialogs.module.css';
import { RestrictedDialog, useWorkflowMutation } from './restricted-dialog.tsx';

const secretsMessages = messages.flow.secrets;
/** Names that `{{secrets.NAME}}` accepts. */
const NAME = '[A-Za-z_][A-Za-z0-9_]{0,63}';

export function SecretsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <RestrictedDialog
      title={secretsMessages.title}
      introduction={<p className={formStyles.muted}>{secretsMessages.about}</p>}
      isAllowed={({ isOwner }) => isOwner}
      refusal={secretsMessages.creatorOnly}
      onClose={onClose}
    >
      {({ secrets }, path) => <Secrets path={path} secrets={secrets ?? {}} />}
    </RestrictedDialog>
  );
}

interface SecretsProps {
  readonly path: string;
  readonly secrets: Readonly<Record<string, Secret>>;
}

function Secrets({ path, secrets }: SecretsProps) {
  const { saver } = useEditor().session;
  const change = useWorkflowMutation(path, async (nextSecrets: SecretsProps['secrets']) => {
    await api.put(path, { secrets: nextSecrets });
    // The saver must know the new version of the workflow.
    await saver.pullAndMerge();
  });
  const remove = (removedName: string): void => {
    const { [removedName]: _, ...remaining } = secrets;
    change.mutate(remaining);
  };
  return (
    <>
      <ul className={styles.rows} aria-label={secretsMessages.list}>
        {Object.entries(secrets).map(([name, secret]) => (
          <li key={name} className={styles.row}>
            <span className={styles.grow}>
              <code>{`{{secrets.${name}}}`}</code>
              <span className={formStyles.muted}>
                {typeof secret === 'string'
                  ? secretsMessages.noHosts
                  : secretsMessages.sentTo(secret.hosts.join(', '))}
              </span>
            </span>
            <IconButton
              size="s"
              icon={Trash}
              label={secretsMessages.remove(name)}
              disabled={change.isPending}
              onClick={() => remove(name)}
            />
          </li>
        ))}
      </ul>
      <NewSecret
        secrets={secrets}
        isBusy={change.isPending}
        onAdd={(name, secret) => change.mutateAsync({ ...secrets, [name]: secret })}
      />
    </>
  );
}

interface NewSecretProps {
  readonly secrets: SecretsProps['secrets'];
  readonly isBusy: boolean;
  readonly onAdd: (name: string, secret: Secret) => Promise<unknown>;
}

function NewSecret({ secrets, isBusy, onAdd }: NewSecretProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState('');
  const existing = findSecret(secrets, name);
  /** Clears the fields, except those in which the user is typing the next secret. */
  const clear = (): void => {
    setName(current => (current === name ? '' : current));
    setValue(current => (current === value ? '' : current));
    setHosts(current => (current === hosts ? '' : current));
  };
  const add = (event: FormEvent): void => {
    event.preventDefault();
    // On failure, the mutation shows the error, and the fields keep their values.
    onAdd(name, toSecret(value === '' && existing !== undefined ? getValue(existing) : value, hosts)).then(
      clear,
      () => undefined,
    );
  };
  return (
    <form className={styles.part} onSubmit={add}>
      <TextField
        label={secretsMessages.name}
        hint={secretsMessages.nameHint}
        value={name}
        required
        pattern={NAME}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setName(target.value);
          const typedSecret = findSecret(secrets, target.value);
          if (typedSecret !== undefined && typeof typedSecret !== 'string')
            setHosts(typedSecret.hosts.join(', '));
        }}
      />
      <HiddenField
        label={secretsMessages.value}
        value={value}
        required={existing === undefined}
        {...(existing === undefined ? {} : { hint: secretsMessages.keptHint })}
        autoComplete="off"
        onChange={({ target }) => setValue(target.value)}
      />
      <TextField
        label={secretsMessages.hosts}
        hint={secretsMessages.hostsHint}
        value={hosts}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setHosts(target.value)}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {existing === undefined ? secretsMessages.add : secretsMessages.replace}
        </Button>
      </div>
    </form>
  );
}

function findSecret(secrets: SecretsProps['secrets'], name: string): Secret | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

const getValue = (secret: Secret): string => (typeof secret === 'string' ? secret : secret.value);

function toSecret(value: string, hostList: string): Secret {
  const hosts = hostList.split(/[\s,]+/).filter(host => host !== '');
  return hosts.length === 0 ? value : { value, hosts };
}
