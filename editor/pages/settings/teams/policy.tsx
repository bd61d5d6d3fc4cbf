// Renders which providers and models the runs of a team may use. Owners can change them.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Team, TeamPolicy } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { DetailList, Section } from '../section.tsx';
import { messages } from './messages.ts';

const PolicyDialog = lazy(async () => ({ default: (await import('./policy-dialog.tsx')).PolicyDialog }));

export function Policy({ team }: { readonly team: Team }) {
  const policy = useQuery(apiQuery(['/teams', team.id, 'policy']));
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title={messages.policy}
      actions={
        team.role === 'OWNER' && (
          <Button aria-label={messages.changePolicyOf(team.name)} onClick={() => setOpen(true)}>
            {messages.change}
          </Button>
        )
      }
    >
      <QueryResult query={policy}>
        {data => (
          <>
            <DetailList details={describe(data)} />
            {isOpen && (
              <Suspense>
                <PolicyDialog team={team} policy={data} onClose={() => setOpen(false)} />
              </Suspense>
            )}
          </>
        )}
      </QueryResult>
    </Section>
  );
}

function describe({ providers, models }: TeamPolicy): readonly (readonly [string, string])[] {
  const names = providers?.map(provider => sharedMessages.provider(provider)).join(', ');
  return [
    [messages.allowedProviders, names === undefined ? messages.all : names || messages.none],
    [messages.allowedModels, models.allow === null ? messages.all : messages.models(models.allow.length)],
    [messages.deniedModels, models.deny.length === 0 ? messages.none : messages.models(models.deny.length)],
  ];
}
