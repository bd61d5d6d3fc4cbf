// Renders the secrets of the workflow. Only its creator can view and set them.

import Trash from 'icon:trash-2';
import { type FormEvent, useState } from 'react';
import { useEditor } from '../../../board/editor-context.tsx';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { api } from '../../../lib/api.ts';
import styles from './dialogs.module.css';
import { OwnerDialog } from './owner-dialog.tsx';
import { useChange } from './use-change.ts';

const texts = messages.flow.secrets;
/** Names that `{{secrets.NAME}}` accepts. */
const NAME = '[A-Za-z_][A-Za-z0-9_]{0,63}';

export function SecretsDialog({ onClose }: { readonly onClose: () => void }) {
  const about = <p className={styles.soft}>{texts.about}</p>;
  return (
    <OwnerDialog title={texts.title} about={about} ownerOnly={texts.creatorOnly} onClose={onClose}>
      {({ secrets }, path) => <Secrets path={path} secrets={secrets ?? {}} />}
    </OwnerDialog>
  );
}

interface SecretsProps {
  readonly path: string;
  readonly secrets: Readonly<Record<string, string>>;
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
      <ul className={styles.rows} aria-label={texts.list}>
        {Object.keys(secrets).map(known => (
          <li key={known} className={styles.row}>
            <code className={styles.grow}>{`{{secrets.${known}}}`}</code>
            <IconButton
              size="s"
              icon={Trash}
              label={texts.remove(known)}
              disabled={change.isPending}
              onClick={() => remove(known)}
            />
          </li>
        ))}
      </ul>
      <NewSecret
        known={Object.keys(secrets)}
        isBusy={change.isPending}
        onAdd={(name, value) => change.mutateAsync({ ...secrets, [name]: value })}
      />
    </>
  );
}

interface NewSecretProps {
  readonly known: readonly string[];
  readonly isBusy: boolean;
  readonly onAdd: (name: string, value: string) => Promise<unknown>;
}

function NewSecret({ known, isBusy, onAdd }: NewSecretProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const empty = (): void => {
    setName('');
    setValue('');
  };
  const add = (event: FormEvent): void => {
    event.preventDefault();
    // The mutation shows the error, and the input stays.
    onAdd(name, value).then(empty, () => undefined);
  };
  return (
    <form className={styles.part} onSubmit={add}>
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        required
        pattern={NAME}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={texts.value}
        type="password"
        value={value}
        required
        autoComplete="off"
        onChange={({ target }) => setValue(target.value)}
      />
      <div className={styles.buttons}>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {known.includes(name) ? texts.replace : texts.add}
        </Button>
      </div>
    </form>
  );
}
