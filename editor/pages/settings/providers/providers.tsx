// Renders a card for each provider, with the keys of the instance or of the active workspace.

import Plus from 'icon:plus';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { Providers as Checks, Credential, CredentialPage } from '../../../../sdk/src/schemas.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as appMessages } from '../../../messages.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction } from '../section.tsx';
import { CredentialRow } from './credential-row.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { messages } from './messages.ts';
import { PROVIDER_NAMES, PROVIDERS, type ProviderName } from './provider-info.ts';
import styles from './providers.module.css';

/** Renders the keys of the instance, for administrators. */
export function Providers() {
  const checks = useQuery(apiQuery<Checks>(['/admin/providers']));
  return (
    <>
      <PageHead title={settingsMessages.parts.providers} />
      <Introduction>{messages.instanceDescription}</Introduction>
      <Cards owner="instance" isManager checks={checks.data} />
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
  readonly checks: Checks | undefined;
}

/** More keys than a page of cards can show. */
const MAX_KEYS = 200;

function Cards({ owner, isManager, checks }: CardsProps) {
  const { workspace } = useSession();
  const credentials = useQuery({
    ...apiQuery<CredentialPage>(['/credentials'], { owner, limit: MAX_KEYS }),
    queryKey: ['/credentials', owner, workspace.teamId],
  });
  const [search, setSearch] = useSearchParams();
  const requested = search.get('add');
  const adding = PROVIDER_NAMES.find(name => name === requested);
  const setAdding = (kind: ProviderName | undefined): void =>
    setSearch(kind === undefined ? {} : { add: kind }, { replace: true });
  const getCredentials = (kind: ProviderName): readonly Credential[] =>
    credentials.data?.data.filter(credential => credential.kind === kind) ?? [];
  return (
    <QueryResult query={credentials}>
      {() => (
        <>
          <ul className={styles.cards}>
            {PROVIDER_NAMES.map(kind => (
              <ProviderCard
                key={kind}
                kind={kind}
                owner={owner}
                credentials={getCredentials(kind)}
                isManager={isManager}
                check={checks?.providers.find(({ name }) => name === kind)}
                onAdd={() => setAdding(kind)}
              />
            ))}
          </ul>
          {adding !== undefined && isManager && (
            <KeyDialog
              kind={adding}
              owner={owner}
              takenNames={getCredentials(adding).map(({ name }) => name)}
              onClose={() => setAdding(undefined)}
            />
          )}
        </>
      )}
    </QueryResult>
  );
}

interface ProviderCardProps {
  readonly kind: ProviderName;
  readonly owner: Credential['owner'];
  readonly credentials: readonly Credential[];
  readonly isManager: boolean;
  readonly check: Checks['providers'][number] | undefined;
  readonly onAdd: () => void;
}

function ProviderCard({ kind, owner, credentials, isManager, check, onAdd }: ProviderCardProps) {
  const { description, address } = PROVIDERS[kind];
  const label = appMessages.provider(kind);
  const isEmpty = credentials.length === 0;
  const addText = address === 'required' ? messages.addAddress : messages.addKey;
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <h2>{label}</h2>
        {isEmpty && <Badge>{owner === 'instance' ? messages.none : messages.noKey}</Badge>}
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
