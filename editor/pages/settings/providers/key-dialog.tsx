// Renders a dialog that asks for a provider key, tests it, and stores it as a new credential or in an existing one.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Credential } from '../../../../sdk/src/schemas.ts';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { HiddenField } from '../../../kit/hidden-field.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { UserFacingError } from '../../../lib/user-facing-error.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { messages } from './messages.ts';
import { PROVIDERS, type ProviderName } from './provider-info.ts';
import styles from './providers.module.css';

interface KeyDialogProps {
  readonly provider: ProviderName;
  readonly owner: Credential['owner'];
  /** Names of the provider's credentials, which a new credential must not have. */
  readonly takenNames: readonly string[];
  /** The credential whose key to replace. If it is undefined, the dialog adds a credential. */
  readonly credential?: Credential | undefined;
  readonly onClose: () => void;
}

export function KeyDialog({ provider, owner, takenNames, credential, onClose }: KeyDialogProps) {
  const { keyUrl, addressMode } = PROVIDERS[provider];
  const label = sharedMessages.provider(provider);
  const [apiKey, setApiKey] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const reloadModelsAndToast = useReloadModelsAndToast();
  const save = async (): Promise<void> => {
    const values = {
      ...(apiKey.trim() === '' ? {} : { apiKey: apiKey.trim() }),
      ...(baseUrl.trim() === '' ? {} : { baseUrl: baseUrl.trim() }),
    };
    const test = await api.post('/credentials/test', { kind: provider, owner, values });
    if (!test.ok) throw new UserFacingError(messages.testFailed(test.error ?? ''));
    const { id } =
      credential === undefined
        ? await api.post('/credentials', {
            kind: provider,
            owner,
            name: chooseName(label, takenNames),
            values,
          })
        : await api.patch(`/credentials/${credential.id}`, { values });
    // Stores the result, so that the card says when the key was tested.
    await api.post(`/credentials/${id}/test`).catch(() => undefined);
    await reloadModelsAndToast(
      credential === undefined ? messages.added(label) : messages.replaced(credential.name),
    );
  };
  const keyField = (
    <HiddenField
      label={addressMode === 'required' ? messages.optionalKey : messages.apiKey}
      hint={addressMode === 'required' ? undefined : messages.keyHint}
      autoComplete="off"
      spellCheck={false}
      required={addressMode === 'fixed' || (addressMode === 'optional' && baseUrl.trim() === '')}
      maxLength={4096}
      value={apiKey}
      onChange={event => setApiKey(event.target.value)}
    />
  );
  const addressField = (
    <TextField
      label={messages.address}
      hint={addressMode === 'required' ? messages.addressHint : credential && messages.replacedAddressHint}
      type="url"
      placeholder={addressMode === 'required' ? 'http://127.0.0.1:8188' : 'https://llm.example.com/v1'}
      required={addressMode === 'required'}
      maxLength={2048}
      value={baseUrl}
      onChange={event => setBaseUrl(event.target.value)}
    />
  );
  return (
    <FormDialog
      title={credential === undefined ? messages.addTitle(label) : messages.replaceTitle(credential.name)}
      submitText={messages.submit}
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
      {addressMode === 'required' && addressField}
      {keyField}
      {addressMode === 'optional' && (
        <details className={styles.server} open={credential !== undefined}>
          <summary>{messages.compatible}</summary>
          {addressField}
        </details>
      )}
    </FormDialog>
  );
}

/** Returns the label, followed by the first free number if the label itself is taken. */
function chooseName(label: string, takenNames: readonly string[]): string {
  let name = label;
  for (let number = 2; takenNames.includes(name); number++) name = `${label} ${number}`;
  return name;
}

const AFFECTED_QUERIES = ['/credentials', '/admin/providers', '/models'] as const;

/** Returns a function that reloads the queries which depend on keys, then shows a toast. */
export function useReloadModelsAndToast(): (text: string) => Promise<void> {
  const client = useQueryClient();
  const reloadAndToast = useReloadAndToast();
  return async text => {
    // An open board keeps its node catalog; the next board loads a new one.
    client.removeQueries({ queryKey: ['/nodes'] });
    await reloadAndToast(text, AFFECTED_QUERIES);
  };
}
