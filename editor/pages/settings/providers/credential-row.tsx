// Renders one stored key of a provider: its state, who uses it, and its actions.

import More from 'icon:ellipsis';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Credential } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { IconButton } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { showError } from '../../../kit/failure.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { toLimit } from '../../../lib/to-limit.ts';
import { showToast } from '../../../lib/toasts.ts';
import { KeyDialog, useReloadModelsAndToast } from './key-dialog.tsx';
import { messages } from './messages.ts';
import styles from './providers.module.css';

const TONES = { ok: 'success', failed: 'danger', untested: 'neutral' } as const;

interface CredentialRowProps {
  readonly credential: Credential;
  readonly isManager: boolean;
  /** The environment variable that a credential of the environment is from. */
  readonly setting: string | undefined;
}

export function CredentialRow({ credential, isManager, setting }: CredentialRowProps) {
  const {
    name,
    status,
    error,
    hint,
    isDefault,
    dailyUsdLimit,
    lastTestedAt,
    lastUsedAt,
    source,
    server,
    serves,
  } = credential;
  const serverName = typeof server === 'string' ? server : null;
  const isStored = source === 'stored';
  return (
    <li className={styles.credential}>
      <div className={styles.credentialHead}>
        <strong>{name}</strong>
        <Badge tone={TONES[status]}>{messages.status[status]}</Badge>
        {isStored && isDefault && <Badge>{messages.defaultBadge}</Badge>}
        {isStored && isManager && <CredentialMenu credential={credential} />}
      </div>
      {error !== null && <p className={styles.error}>{error}</p>}
      <p className={styles.info}>
        {isStored
          ? hint !== null && <span>{messages.keyEnding(hint)}</span>
          : setting !== undefined && (
              <span>{messages.environmentHint(serverName === null ? setting : 'OPENAI_SERVERS')}</span>
            )}
        {serverName !== null && <span>{messages.serverName(serverName)}</span>}
        {serves !== null && serves.length > 0 && <span>{messages.serves(serves)}</span>}
        {dailyUsdLimit !== null && <span>{messages.limit(dailyUsdLimit)}</span>}
        {lastTestedAt !== null && (
          <span>
            {messages.tested} <RelativeTime time={lastTestedAt} />
          </span>
        )}
        {isStored && (
          <span>
            {lastUsedAt === null ? (
              messages.neverUsed
            ) : (
              <>
                {messages.lastUsed} <RelativeTime time={lastUsedAt} />
              </>
            )}
          </span>
        )}
        {isStored && isManager && <Uses id={credential.id} />}
      </p>
    </li>
  );
}

function Uses({ id }: { readonly id: string }) {
  // The key has one segment, so that a reload of `/credentials` does not read the uses of a removed credential.
  const { data } = useQuery(apiQuery([`/credentials/${id}/uses`]));
  if (data === undefined) return null;
  return (
    <span title={data.workflows.map(({ name }) => name).join(', ')}>
      {messages.uses(data.workflows.length, data.callsInFlight)}
    </span>
  );
}

type DialogKind = 'replace' | 'limit' | 'remove';

function CredentialMenu({ credential }: { readonly credential: Credential }) {
  const { id, kind, name, owner, isDefault } = credential;
  const [openDialog, setOpenDialog] = useState<DialogKind>();
  const reloadAndToast = useReloadAndToast();
  const reloadModelsAndToast = useReloadModelsAndToast();
  const client = useQueryClient();
  const close = (): void => setOpenDialog(undefined);
  const test = async (): Promise<void> => {
    const { ok, error = '' } = await api.post(`/credentials/${id}/test`);
    if (ok) await reloadAndToast(messages.testPassed(name), ['/credentials']);
    else {
      await client.invalidateQueries({ queryKey: ['/credentials'] });
      showToast(error, { tone: 'failed' });
    }
  };
  const makeDefault = async (): Promise<void> => {
    await api.patch(`/credentials/${id}`, { isDefault: true });
    await reloadAndToast(messages.madeDefault(name), ['/credentials']);
  };
  const withErrorToast = (action: () => Promise<void>) => () => void action().catch(showError);
  return (
    <>
      <Menu trigger={<IconButton icon={More} size="s" label={messages.actionsOf(name)} />}>
        <MenuItem onSelect={withErrorToast(test)}>{messages.test}</MenuItem>
        <MenuItem onSelect={() => setOpenDialog('replace')}>{messages.replace}</MenuItem>
        {!isDefault && <MenuItem onSelect={withErrorToast(makeDefault)}>{messages.makeDefault}</MenuItem>}
        {owner === 'workspace' && (
          <MenuItem onSelect={() => setOpenDialog('limit')}>{messages.setLimit}</MenuItem>
        )}
        <MenuItem isDangerous onSelect={() => setOpenDialog('remove')}>
          {messages.remove}
        </MenuItem>
      </Menu>
      {openDialog === 'replace' && (
        <KeyDialog provider={kind} owner={owner} takenNames={[]} credential={credential} onClose={close} />
      )}
      {openDialog === 'limit' && <LimitDialog credential={credential} onClose={close} />}
      {openDialog === 'remove' && (
        <ConfirmDialog
          title={messages.removeTitle(name)}
          action={messages.remove}
          onConfirm={async () => {
            await api.delete(`/credentials/${id}`, { query: { force: 'true' } });
            await reloadModelsAndToast(messages.removed(name));
          }}
          onClose={close}
        >
          {messages.removeText}
        </ConfirmDialog>
      )}
    </>
  );
}

function LimitDialog({
  credential: { id, name, dailyUsdLimit },
  onClose,
}: {
  readonly credential: Credential;
  readonly onClose: () => void;
}) {
  const [usd, setUsd] = useState(dailyUsdLimit === null ? '' : String(dailyUsdLimit));
  const reloadAndToast = useReloadAndToast();
  const save = async (): Promise<void> => {
    await api.patch(`/credentials/${id}`, { dailyUsdLimit: toLimit(usd) });
    await reloadAndToast(messages.limitSaved, ['/credentials']);
  };
  return (
    <FormDialog title={messages.limitTitle(name)} onSubmit={save} onClose={onClose}>
      <TextField
        label={messages.limitLabel}
        hint={messages.limitHint}
        type="number"
        min={0}
        max={1_000_000}
        step="0.01"
        value={usd}
        onChange={event => setUsd(event.target.value)}
      />
    </FormDialog>
  );
}
