// Finds servers of models on the machine of the service when an administrator asks, and adds them for everyone.
import Plus from 'icon:plus';
import Search from 'icon:search';
import { useState } from 'react';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { showError } from '../../../kit/failure.tsx';
import { api } from '../../../lib/api.ts';
import type { Responses } from '../../../lib/responses.ts';
import { useReloadModelsAndToast } from './key-dialog.tsx';
import { messages } from './messages.ts';
import styles from './providers.module.css';

type FoundServer = Responses['POST /credentials/discover']['data'][number];

export function LocalServers() {
  const [found, setFound] = useState<readonly FoundServer[]>();
  const [isSearching, setIsSearching] = useState(false);
  const search = async (): Promise<void> => {
    setIsSearching(true);
    try {
      setFound((await api.post('/credentials/discover', {})).data);
    } catch (err) {
      showError(err);
    } finally {
      setIsSearching(false);
    }
  };
  return (
    <section className={styles.local} aria-labelledby="local-servers">
      <h2 id="local-servers">{messages.localServers}</h2>
      <p className={styles.description}>{messages.localServersDescription}</p>
      <div role="status">
        {found?.length === 0 && <p className={styles.description}>{messages.noLocalServers}</p>}
      </div>
      {found !== undefined && found.length > 0 && (
        <ul className={styles.credentials}>
          {found.map(server => (
            <Found key={server.baseUrl} server={server} />
          ))}
        </ul>
      )}
      <div className={styles.actions}>
        <Button size="s" icon={Search} isBusy={isSearching} onClick={() => void search()}>
          {messages.findLocalServers}
        </Button>
      </div>
    </section>
  );
}

function Found({ server }: { readonly server: FoundServer }) {
  const { kind, baseUrl, name, serves, models } = server;
  const [isAdded, setIsAdded] = useState(server.isAdded);
  const [isAdding, setIsAdding] = useState(false);
  const reloadModelsAndToast = useReloadModelsAndToast();
  const add = async (): Promise<void> => {
    setIsAdding(true);
    try {
      const named = kind === 'openai' ? { server: name, serves } : {};
      const values = { baseUrl };
      const { id } = await api.post('/credentials', { kind, owner: 'instance', name, values, ...named });
      await api.post(`/credentials/${id}/test`).catch(() => undefined);
      setIsAdded(true);
      await reloadModelsAndToast(messages.added(name));
    } catch (err) {
      showError(err);
    } finally {
      setIsAdding(false);
    }
  };
  return (
    <li className={styles.credential}>
      <div className={styles.credentialHead}>
        <strong>{name}</strong>
        {isAdded ? (
          <Badge tone="success">{messages.addedServer}</Badge>
        ) : (
          <Button
            size="s"
            icon={Plus}
            isBusy={isAdding}
            aria-label={messages.addFound(name)}
            onClick={() => void add()}
          >
            {messages.addFoundShort}
          </Button>
        )}
      </div>
      <p className={styles.info}>
        <span>{baseUrl}</span>
        {serves.length > 0 && <span>{messages.serves(serves)}</span>}
        {models.length > 0 && <span>{messages.foundModels(models)}</span>}
      </p>
    </li>
  );
}
