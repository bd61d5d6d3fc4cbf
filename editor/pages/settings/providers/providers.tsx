// Renders a card for each provider, with the keys of the instance or of the active workspace.

import Plus from 'icon:plus';
import { useQuery } from '@tanstack/react-query';
import type { Credential, Providers as ProviderChecks } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { useSearchFilters } from '../../../lib/use-search-filters.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction } from '../section.tsx';
import { CredentialRow } from './credential-row.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { LocalModels } from './local-models.tsx';
import { LocalServers } from './local-servers.tsx';
import { messages } from './messages.ts';
import { PROVIDER_NAMES, PROVIDERS, type ProviderName } from './provider-info.ts';
import styles from './providers.module.css';

/** Renders the keys of the instance, for administrators. */
export function Providers() {
  const checks = useQuery(apiQuery(['/admin/providers']));
  return (
    <>
      <PageHead title={settingsMessages.parts.providers} />
      <Introduction>{messages.instanceDescription}</Introduction>
      <Cards owner="instance" isManager checks={checks.data} />
      <LocalModels />
      <LocalServers />
    </>
  );
}

/** Renders the keys of the active workspace. */
export function ProviderKeys() {
  const { workspace } = useSession();
  const isManager = workspace.role === 'OWNER';
  return (
    <>
      <PageHead title={settingsMessages.parts['provider-keys']} />
      <Introduction>
        {isManager ? messages.workspaceDescription(workspace.name) : messages.readOnly(workspace.name)}
      </Introduction>
      <Cards owner="workspace" isManager={isManager} checks={undefined} />
    </>
  );
}

interface CardsProps {
  readonly owner: Credential['owner'];
  readonly isManager: boolean;
  readonly checks: ProviderChecks | undefined;
}

/** The service allows fewer keys for each owner, so one page of the list has all of them. */
const PAGE_SIZE = 200;

function Cards({ owner, isManager, checks }: CardsProps) {
  const { workspace } = useSession();
  const query = useQuery({
    ...apiQuery(['/credentials'], { owner, limit: PAGE_SIZE }),
    queryKey: ['/credentials', owner, workspace.teamId],
  });
  const { search, change } = useSearchFilters();
  const providerToAdd = PROVIDER_NAMES.find(name => name === search.get('add'));
  return (
    <QueryResult query={query}>
      {({ data }) => {
        const credentials = Object.groupBy(data, ({ kind }) => kind);
        return (
          <>
            <ul className={styles.cards}>
              {PROVIDER_NAMES.map(provider => (
                <ProviderCard
                  key={provider}
                  provider={provider}
                  owner={owner}
                  credentials={credentials[provider] ?? []}
                  isManager={isManager}
                  check={checks?.providers.find(({ name }) => name === provider)}
                  onAdd={() => change({ add: provider })}
                />
              ))}
            </ul>
            {providerToAdd !== undefined && isManager && (
              <KeyDialog
                provider={providerToAdd}
                owner={owner}
                takenNames={(credentials[providerToAdd] ?? []).map(({ name }) => name)}
                onClose={() => change({ add: '' })}
              />
            )}
          </>
        );
      }}
    </QueryResult>
  );
}

interface ProviderCardProps {
  readonly provider: ProviderName;
  readonly owner: Credential['owner'];
  readonly credentials: readonly Credential[];
  readonly isManager: boolean;
  readonly check: ProviderChecks['providers'][number] | undefined;
  readonly onAdd: () => void;
}

function ProviderCard({ provider, owner, credentials, isManager, check, onAdd }: ProviderCardProps) {
  const { description, addressMode } = PROVIDERS[provider];
  const label = sharedMessages.provider(provider);
  const isEmpty = credentials.length === 0;
  const addText = addressMode === 'required' ? messages.addServer : messages.addKey;
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <h2>{label}</h2>
        {isEmpty && <Badge>{owner === 'instance' ? messages.noInstanceKey : messages.noWorkspaceKey}</Badge>}
        {check?.answers === false && <Badge tone="danger">{messages.unreachable}</Badge>}
      </div>
      <p className={styles.description}>{description}</p>
      {check?.answers === false && <p className={styles.error}>{check.error}</p>}
      {!isEmpty && (
        <ul className={styles.credentials}>
          {credentials.map(credential => (
            <CredentialRow
              key={credential.id}
              credential={credential}
              isManager={isManager}
              setting={check?.setting}
            />
          ))}
        </ul>
      )}
      {isManager && (
        <div className={styles.actions}>
          <Button
            size="s"
            icon={Plus}
            aria-label={isEmpty ? `${addText}: ${label}` : `${messages.addAnother}: ${label}`}
            onClick={onAdd}
          >
            {isEmpty ? addText : messages.addAnother}
          </Button>
        </div>
      )}
    </li>
  );
}
