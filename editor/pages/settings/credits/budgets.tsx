// Renders the workflows with a daily budget.
import { useState } from 'react';
import type { Budget } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import { formatNumber } from '../../../lib/format.ts';
import { texts as shared } from '../messages.ts';
import { Section } from '../section.tsx';
import { texts } from './messages.ts';

const PATH = '/credits/budgets';
/** The maximum of the API. */
const MAX_BUDGET = 2_147_483_647;

export function Budgets() {
  const list = useList<Budget>(PATH, { limit: 50 });
  const [changing, change] = useState<Budget>();
  return (
    <Section title={texts.budgets}>
      <InfiniteList query={list} empty={<p>{texts.noBudgets}</p>}>
        {budgets => (
          <Table
            label={texts.budgets}
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
  const done = useDone();
  const save = async (): Promise<void> => {
    const next = credits === '' ? null : Number(credits);
    await api.put(`/workflows/${workflowId}/budget`, { dailyCreditBudget: next });
    await done(texts.budgetChanged(name), [PATH]);
  };
  return (
    <FormDialog title={texts.changeOf(name)} submit={shared.save} run={save} onClose={onClose}>
      <TextField
        label={texts.budget}
        hint={texts.budgetHint}
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
  { title: texts.workflow, cell: ({ workflowId, name }) => <a href={`/flow/${workflowId}`}>{name}</a> },
  { title: texts.spentToday, align: 'end', cell: ({ spentToday }) => formatNumber(spentToday) },
  { title: texts.budget, align: 'end', cell: ({ dailyCreditBudget }) => formatNumber(dailyCreditBudget) },
  {
    title: shared.actions,
    isTitleHidden: true,
    align: 'end',
    cell: budget => (
      <Button size="s" aria-label={texts.changeOf(budget.name)} onClick={() => change(budget)}>
        {texts.change}
      </Button>
    ),
  },
];
