// Shows users who may add a provider key that no model can run, and links to the page where they add one.

import Key from 'icon:key-round';
import { useQuery } from '@tanstack/react-query';
import { Banner } from '../../kit/banner.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { api } from '../../lib/api.ts';
import { useProviderKeysHref, useSession } from '../../lib/session.ts';
import { messages } from './messages.ts';

const STALE_MS = 300_000;

export function ProviderBanner() {
  const { teamId } = useSession().workspace;
  const href = useProviderKeysHref();
  const isEnabled = href !== undefined;
  const { data: canRunModels } = useQuery({
    queryKey: ['/models', teamId],
    queryFn: ({ signal }) => api.get('/models', { query: { source: 'vendor' }, signal }),
    select: ({ count }) => count > 0,
    enabled: isEnabled,
    staleTime: STALE_MS,
  });
  if (!isEnabled || canRunModels !== false) return null;
  return (
    <Banner
      kind="card"
      label={messages.noProviderTitle}
      actions={
        <ButtonLink icon={Key} href={href}>
          {messages.addKey}
        </ButtonLink>
      }
    >
      <div>
        <h2>{messages.noProviderTitle}</h2>
        <p>{messages.noProvider}</p>
      </div>
    </Banner>
  );
}
