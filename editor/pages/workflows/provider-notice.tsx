// Tells administrators that no model provider is set up, with a link to add a key.

import Key from 'icon:key-round';
import { useQuery } from '@tanstack/react-query';
import type { CredentialPage } from '../../../sdk/src/schemas.ts';
import { ButtonLink } from '../../kit/button.tsx';
import { api } from '../../lib/api.ts';
import { useFirstSteps } from '../../lib/first-steps.ts';
import { useSession } from '../../lib/session.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

export function ProviderNotice() {
  const { isAdmin } = useSession().user;
  // The card of first steps has a step for this.
  const isCardOpen = useFirstSteps(state => state.isOpen);
  const { data } = useQuery({
    queryKey: ['/credentials', 'instance', 'any'],
    queryFn: ({ signal }) =>
      api.get<CredentialPage>('/credentials', { query: { owner: 'instance', limit: 1 }, signal }),
    enabled: isAdmin,
    staleTime: 60_000,
  });
  if (data === undefined || data.data.length > 0 || isCardOpen) return null;
  return (
    <section className={styles.providers} aria-label={messages.noProviderTitle}>
      <div>
        <h2>{messages.noProviderTitle}</h2>
        <p>{messages.noProvider}</p>
      </div>
      <ButtonLink icon={Key} href="/settings/providers">
        {messages.addKey}
      </ButtonLink>
    </section>
  );
}
