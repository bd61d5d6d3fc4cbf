// Renders the workflows with a daily budget.

import { useState } from 'react';
import type { Budget } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { CreditsField } from '../../../kit/credits-field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { type Column, toActionsColumn } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { api } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/format.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { toLimit } from '../../../lib/to-limit.ts';
import { Section } from '../section.tsx';
import { messages } from './messages.ts';

const PATH = '/credits/budgets';
/** Maximum that the API accepts. */
const MAX_BUDGET = 2_147_483_647;

export function Budgets() {
  const list = useList(PATH, { limit: 50 });
  const [budgetToEdit, setBudgetToEdit] = useState<Budget>();
  return (
    <Section title={messages.budgets}>
      <TableList
        query={list}
        empty={<p>{messages.noBudgets}</p>}
        label={messages.budgets}
        columns={createColumns(setBudgetToEdit)}
        getKey={({ workflowId }) => workflowId}
      />
      {budgetToEdit && <BudgetDialog budget={budgetToEdit} onClose={() => setBudgetToEdit(undefined)} />}
    </Section>
  );
}

function BudgetDialog({ budget, onClose }: { readonly budget: Budget; readonly onClose: () => void }) {
  const { workflowId, name, dailyCreditBudget } = budget;
  const [credits, setCredits] = useState(String(dailyCreditBudget));
  const reloadAndToast = useReloadAndToast();
  const save = async (): Promise<void> => {
    await api.put(`/workflows/${workflowId}/budget`, { dailyCreditBudget: toLimit(credits) });
    await reloadAndToast(messages.budgetChanged(name), [PATH]);
  };
  return (
    <FormDialog title={messages.changeOf(name)} onSubmit={save} onClose={onClose}>
      <CreditsField
        label={messages.budget}
        hint={messages.budgetHint}
        max={MAX_BUDGET}
        value={credits}
        onChange={setCredits}
      />
    </FormDialog>
  );
}

const createColumns = (onEdit: (budget: Budget) => void): readonly Column<Budget>[] => [
  { title: messages.workflow, cell: ({ workflowId, name }) => <a href={`/flow/${workflowId}`}>{name}</a> },
  { title: messages.spentToday, align: 'end', cell: ({ spentToday }) => formatNumber(spentToday) },
  { title: messages.budget, align: 'end', cell: ({ dailyCreditBudget }) => formatNumber(dailyCreditBudget) },
  toActionsColumn(budget => (
    <Button size="s" aria-label={messages.changeOf(budget.name)} onClick={() => onEdit(budget)}>
      {messages.change}
    </Button>
  )),
];
