// Renders the credits of the active workspace: balance, spending, budgets, transactions.
import { PageHead } from '../../../kit/page-head.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction } from '../section.tsx';
import { Budgets } from './budgets.tsx';
import { Ledger } from './ledger.tsx';
import { messages } from './messages.ts';
import { Spending } from './spending.tsx';

export function Credits() {
  const { credits, workspace } = useSession();
  return (
    <>
      <PageHead title={settingsMessages.parts.credits} />
      <Introduction>{messages.description(workspace.name)}</Introduction>
      <DetailList
        details={[
          [messages.balance, formatNumber(credits.balance)],
          [messages.reserved, formatNumber(credits.held)],
        ]}
      />
      <Spending />
      <Budgets />
      <Ledger />
    </>
  );
}
