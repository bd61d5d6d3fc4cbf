// Renders the credits of the active workspace: balance, spending, budgets, transactions.
import { PageHead } from '../../../kit/page-head.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { useSession } from '../../../lib/session.ts';
import { texts as shared } from '../messages.ts';
import { Facts, Lead } from '../section.tsx';
import { Budgets } from './budgets.tsx';
import { Ledger } from './ledger.tsx';
import { texts } from './messages.ts';
import { Spending } from './spending.tsx';

export function Credits() {
  const { credits, workspace } = useSession();
  return (
    <>
      <PageHead title={shared.parts.credits} />
      <Lead>{texts.lead(workspace.name)}</Lead>
      <Facts
        facts={[
          [texts.balance, formatNumber(credits.balance)],
          [texts.held, formatNumber(credits.held)],
        ]}
      />
      <Spending />
      <Budgets />
      <Ledger />
    </>
  );
}
