// Renders the credits of the active workspace: balance, spending, budgets, transactions.
import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../../kit/button.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction } from '../section.tsx';
import { Budgets } from './budgets.tsx';
import { Ledger } from './ledger.tsx';
import { messages } from './messages.ts';
import { Spending } from './spending.tsx';

export function Credits() {
  const { credits, workspace } = useSession();
  const own = useQuery(apiQuery(['/credits'], { limit: 1 })).data?.own;
  return (
    <>
      <PageHead title={settingsMessages.parts.credits}>
        <ButtonLink href="/settings/spending">{settingsMessages.parts.spending}</ButtonLink>
      </PageHead>
      <Introduction>{messages.description(workspace.name)}</Introduction>
      <DetailList
        details={[
          [messages.balance, formatNumber(credits.balance)],
          [messages.reserved, formatNumber(credits.held)],
          ...(own?.monthlyCredits == null
            ? []
            : [[messages.ownLimit, messages.spentOf(own.spentThisMonth, own.monthlyCredits)] as const]),
        ]}
      />
      <Spending />
      <Budgets />
      <Ledger />
    </>
  );
}
