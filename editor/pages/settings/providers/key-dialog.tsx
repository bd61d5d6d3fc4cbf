// Asks for a key, tests it at the provider, and stores it as a new credential or in place of an old one.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Credential, CredentialTest } from '../../../../sdk/src/schemas.ts';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { UserFacingError } from '../../../lib/user-facing-error.ts';
import { messages as appMessages } from '../../../messages.ts';
import { messages } from './messages.ts';
import { PROVIDERS, type ProviderName } from './provider-info.ts';
import styles from './providers.module.css';

interface KeyDialogProps {
  readonly kind: ProviderName;
  readonly owner: Credential['owner'];
  /** Names of the credentials of this kind, so that the new one has another name. */
  readonly takenNames: readonly string[];
  /** The credential whose key to replace; undefined: a new one. */
  readonly credential?: Credential | undefined;
  readonly onClose: () => void;
}

export function KeyDialog({ kind, owner, takenNames, credential, onClose }: KeyDialogProps) {
  const { keyUrl, address } = PROVIDERS[kind];
  const label = appMessages.provider(kind);
  const [apiKey, setApiKey] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const finishChange = useFinishKeyChange();
  const save = async (): Promise<void> => {
    const values = {
      ...(apiKey.trim() === '' ? {} : { apiKey: apiKey.trim() }),
      ...(baseUrl.trim() === '' ? {} : { baseUrl: baseUrl.trim() }),
    };
    const test = await api.post<CredentialTest>('/credentials/test', { kind, owner, values });
    if (!test.ok) throw new UserFacingError(messages.testFailed(test.error ?? ''));
    if (credential === undefined) {
      const name = chooseName(label, takenNames);
      const { id } = await api.post<Credential>('/credentials', { kind, owner, name, values });
      // Records the outcome, so that the card says when the key was tested.
      await api.post(`/credentials/${id}/test`).catch(() => undefined);
    } else await api.patch(`/credentials/${credential.id}`, { values });
    const message = credential === undefined ? messages.added(label) : messages.replaced(credential.name);
    await finishChange(message);
  };
  const keyField = (
    <TextField
      label={address === 'required' ? messages.optionalKey : messages.apiKey}
      hint={address === 'required' ? undefined : messages.keyHint}
      type="password"
      autoComplete="off"
      spellCheck={false}
      required={address === 'fixed' || (address === 'optional' && baseUrl.trim() === '')}
      maxLength={4096}
      value={apiKey}
      onChange={event => setApiKey(event.target.value)}
    />
  );
  const addressField = (
    <TextField
      label={messages.address}
      hint={address === 'required' ? messages.addressHint : credential && messages.addressAgain}
      type="url"
      placeholder={address === 'required' ? 'http://127.0.0.1:8188' : 'https://llm.example.com/v1'}
      required={address === 'required'}
      maxLength={2048}
      value={baseUrl}
      onChange={event => setBaseUrl(event.target.value)}
    />
  );
  return (
    <FormDialog
      title={credential === undefined ? messages.addTitle(label) : messages.replaceTitle(credential.name)}
      submit={messages.submit}
      onSubmit={save}
      onClose={onClose}
    >
      {keyUrl !== undefined && (
        <p className={styles.getKey}>
          <a href={keyUrl} target="_blank" rel="noreferrer">
            {messages.getKey(label)}
          </a>
        </p>
      )}
      {address === 'required' && addressField}
      {keyField}
      {address === 'optional' && (
        <details className={styles.server} open={credential !== undefined}>
          <summary>{messages.compatible}</summary>
          {addressField}
        </details>
      )}
    </FormDialog>
  );
}

/** Returns the label, with the first free number if that name is taken. */
function chooseName(label: string, takenNames: readonly string[]): string {
  let name = label;
  for (let number = 2; takenNames.includes(name); number++) name = `${label} ${number}`;
  return name;
}

const AFFECTED_QUERIES = ['/credentials', '/admin/providers', '/models'] as const;

/** Reports a change of keys, and reloads everything that shows which models can be used. */
export function useFinishKeyChange(): (text: string) => Promise<void> {
  const client = useQueryClient();
  const finishChange = useFinishChange();
  return async text => {
    // An open board keeps its node catalog; the next board loads a new one.
    client.removeQueries({ queryKey: ['/nodes'] });
    await finishChange(text, AFFECTED_QUERIES);
  };
}
