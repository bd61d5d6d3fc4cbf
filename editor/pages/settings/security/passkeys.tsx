// Renders the user's passkeys, with buttons to add and remove them.
import { useState } from 'react';
import type { Passkey, SecondFactors } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { type Column, Table, toActionsColumn } from '../../../kit/table.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { createPasskey } from '../../../lib/passkeys.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { Section, Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import { SECOND_FACTOR_QUERIES } from './second-factor-queries.ts';

interface PasskeysProps extends Pick<SecondFactors, 'passkeys' | 'passkeysAvailable'> {
  readonly onAdded: () => Promise<void>;
}

export function Passkeys({ passkeys, passkeysAvailable, onAdded }: PasskeysProps) {
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const reloadAndToast = useReloadAndToast();
  return (
    <Section
      title={messages.passkeys}
      actions={
        <Button variant="primary" disabled={!passkeysAvailable} onClick={() => setAdding(true)}>
          {messages.addPasskey}
        </Button>
      }
    >
      <p>{passkeysAvailable ? messages.passkeysText : messages.passkeysUnavailable}</p>
      {passkeys.length > 0 && (
        <Table
          label={messages.passkeys}
          columns={createColumns(setRemoved)}
          rows={passkeys}
          getKey={({ id }) => id}
        />
      )}
      {isAdding && <AddDialog onAdded={onAdded} onClose={() => setAdding(false)} />}
      {removed && (
        <ConfirmDialog
          title={messages.removePasskeyTitle(removed.name)}
          action={messages.remove}
          onConfirm={async () => {
            await api.delete(`/auth/passkeys/${removed.id}`);
            await reloadAndToast(messages.passkeyRemoved, SECOND_FACTOR_QUERIES);
          }}
          onClose={() => setRemoved(undefined)}
        >
          {messages.removePasskeyText}
        </ConfirmDialog>
      )}
    </Section>
  );
}

const createColumns = (onRemove: (passkey: Passkey) => void): readonly Column<Passkey>[] => [
  { title: messages.passkeyName, cell: ({ name }) => <Truncated text={name} /> },
  { title: messages.created, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  {
    title: messages.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? messages.never : <RelativeTime time={lastUsedAt} />),
  },
  toActionsColumn(passkey => (
    <Button size="s" aria-label={messages.removePasskey(passkey.name)} onClick={() => onRemove(passkey)}>
      {messages.remove}
    </Button>
  )),
];

interface AddDialogProps {
  readonly onAdded: () => Promise<void>;
  readonly onClose: () => void;
}

function AddDialog({ onAdded, onClose }: AddDialogProps) {
  const [name, setName] = useState('');
  const reloadAndToast = useReloadAndToast();
  const add = async (): Promise<void> => {
    const attestation = await createPasskey(await api.post('/auth/passkeys/options'));
    await api.post('/auth/passkeys', { name: name.trim(), attestation });
    await onAdded();
    await reloadAndToast(messages.passkeyAdded, SECOND_FACTOR_QUERIES);
  };
  return (
    <FormDialog
      title={messages.addPasskeyTitle}
      submitText={messages.addPasskey}
      onSubmit={add}
      onClose={onClose}
    >
      <TextField
        label={messages.passkeyName}
        hint={messages.passkeyNameHint}
        required
        maxLength={100}
        value={name}
        onChange={event => setName(event.target.value)}
      />
    </FormDialog>
  );
}
