// Renders the workflows with a daily budget.
import { useState } from 'react';
import type { Budget } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { formatNumber } from '../../../lib/format.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Section } from '../section.tsx';
import { messages } from './messages.ts';

const PATH = '/credits/budgets';
/** The maximum of the API. */
const MAX_BUDGET = 2_147_483_647;

export function Budgets() {
  const list = useList<Budget>(PATH, { limit: 50 });
  const [changing, change] = useState<Budget>();
  return (
    <Section title={messages.budgets}>
      <InfiniteList query={list} empty={<p>{messages.noBudgets}</p>}>
        {budgets => (
          <Table
            label={messages.budgets}
            columns={columnsOf(change)}
            rows={budgets}
            getKey={({ workflowId }) => workflowId}
          />
        )}
      </InfiniteList>
      {changing && <BudgetDialog budget={changing} onClose={() => change(undefined)} />}
    </Section>
  );
}

function BudgetDialog({ budget, onClose }: { readonly budget: Budget; readonly onClose: () => void }) {
  const { workflowId, name, dailyCreditBudget } = budget;
  const [credits, setCredits] = useState(String(dailyCreditBudget));
  const finishChange = useFinishChange();
  const save = async (): Promise<void> => {
    const next = credits === '' ? null : Number(credits);
    await api.put(`/workflows/${workflowId}/budget`, { dailyCreditBudget: next });
    await finishChange(messages.budgetChanged(name), [PATH]);
  };
  return (
    <FormDialog title={messages.changeOf(name)} submit={settingsMessages.save} run={save} onClose={onClose}>
      <TextField
        label={messages.budget}
        hint={messages.budgetHint}
        type="number"
        min={0}
        max={MAX_BUDGET}
        step={1}
        value={credits}
        onChange={event => setCredits(event.target.value)}
      />
    </FormDialog>
  );
}

const columnsOf = (change: (budget: Budget) => void): readonly Column<Budget>[] => [
  { title: messages.workflow, cell: ({ workflowId, name }) => <a href={`/flow/${workflowId}`}>{name}</a> },
  { title: messages.spentToday, align: 'end', cell: ({ spentToday }) => formatNumber(spentToday) },
  { title: messages.budget, align: 'end', cell: ({ dailyCreditBudget }) => formatNumber(dailyCreditBudget) },
  {
    title: settingsMessages.actions,
    isTitleHidden: true,
    align: 'end',
    cell: budget => (
      <Button size="s" aria-label={messages.changeOf(budget.name)} onClick={() => change(budget)}>
        {messages.change}
      </Button>
    ),
  },
];
