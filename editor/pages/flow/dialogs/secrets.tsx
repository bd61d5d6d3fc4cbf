// Renders the secrets of the workflow. Only its creator can view and set them.

import Trash from 'icon:trash-2';
import { type FormEvent, useState } from 'react';
import type { Secret } from '../../../board/remote.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { api } from '../../../lib/api.ts';
import { useEditor } from '../../../runs/editor-context.tsx';
import styles from './dialogs.module.css';
import { OwnerDialog } from './owner-dialog.tsx';
import { useChange } from './use-change.ts';

const secretsMessages = messages.flow.secrets;
/** Names that `{{secrets.NAME}}` accepts. */
const NAME = '[A-Za-z_][A-Za-z0-9_]{0,63}';

export function SecretsDialog({ onClose }: { readonly onClose: () => void }) {
  const about = <p className={styles.soft}>{secretsMessages.about}</p>;
  return (
    <OwnerDialog
      title={secretsMessages.title}
      about={about}
      ownerOnly={secretsMessages.creatorOnly}
      onClose={onClose}
    >
      {({ secrets }, path) => <Secrets path={path} secrets={secrets ?? {}} />}
    </OwnerDialog>
  );
}

interface SecretsProps {
  readonly path: string;
  readonly secrets: Readonly<Record<string, Secret>>;
}

function Secrets({ path, secrets }: SecretsProps) {
  const { saver } = useEditor().session;
  const change = useChange(path, async (next: SecretsProps['secrets']) => {
    await api.put(path, { secrets: next });
    // Updates the board's base to the state of the service.
    await saver.refresh();
  });
  const remove = (gone: string): void => {
    const { [gone]: _, ...rest } = secrets;
    change.mutate(rest);
  };
  return (
    <>
      <ul className={styles.rows} aria-label={secretsMessages.list}>
        {Object.entries(secrets).map(([known, secret]) => (
          <li key={known} className={styles.row}>
            <span className={styles.grow}>
              <code>{`{{secrets.${known}}}`}</code>
              <span className={styles.soft}>
                {typeof secret === 'string'
                  ? secretsMessages.noHosts
                  : secretsMessages.sentTo(secret.hosts.join(', '))}
              </span>
            </span>
            <IconButton
              size="s"
              icon={Trash}
              label={secretsMessages.remove(known)}
              disabled={change.isPending}
              onClick={() => remove(known)}
            />
          </li>
        ))}
      </ul>
      <NewSecret
        known={secrets}
        isBusy={change.isPending}
        onAdd={(name, secret) => change.mutateAsync({ ...secrets, [name]: secret })}
      />
    </>
  );
}

interface NewSecretProps {
  readonly known: SecretsProps['secrets'];
  readonly isBusy: boolean;
  readonly onAdd: (name: string, secret: Secret) => Promise<unknown>;
}

function NewSecret({ known, isBusy, onAdd }: NewSecretProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState('');
  const before = secretNamed(known, name);
  const empty = (): void => {
    setName('');
    setValue('');
    setHosts('');
  };
  const add = (event: FormEvent): void => {
    event.preventDefault();
    // The mutation shows the error, and the input stays.
    onAdd(name, toSecret(value === '' && before !== undefined ? plainValue(before) : value, hosts)).then(
      empty,
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
          const found = secretNamed(known, target.value);
          if (found !== undefined && typeof found !== 'string') setHosts(found.hosts.join(', '));
        }}
      />
      <TextField
        label={secretsMessages.value}
        type="password"
        value={value}
        required={before === undefined}
        {...(before === undefined ? {} : { hint: secretsMessages.keptHint })}
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
          {before === undefined ? secretsMessages.add : secretsMessages.replace}
        </Button>
      </div>
    </form>
  );
}

function secretNamed(secrets: SecretsProps['secrets'], name: string): Secret | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

const plainValue = (secret: Secret): string => (typeof secret === 'string' ? secret : secret.value);

function toSecret(value: string, written: string): Secret {
  const hosts = written.split(/[\s,]+/).filter(host => host !== '');
  return hosts.length === 0 ? value : { value, hosts };
}
