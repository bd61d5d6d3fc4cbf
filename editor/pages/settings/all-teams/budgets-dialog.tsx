// Lists the workflows of a team and sets their daily budgets.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { InstanceTeam, TeamBudget } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Form } from '../../../kit/form.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { formatNumber } from '../../../lib/format.ts';
import { SecondaryText } from '../section.tsx';
import styles from './budgets-dialog.module.css';
import { messages } from './messages.ts';

/** Maximum that the API accepts. */
const MAX_BUDGET = 2_147_483_647;

interface BudgetsDialogProps {
  readonly team: InstanceTeam;
  readonly onClose: () => void;
}

export function BudgetsDialog({ team, onClose }: BudgetsDialogProps) {
  const path = `/admin/teams/${team.id}/budgets`;
  const list = useList<TeamBudget>(path, { limit: 50 });
  return (
    <Dialog title={messages.budgetsTitle(team.name)} onClose={onClose}>
      <p>{messages.budgetsDescription}</p>
      <InfiniteList query={list} empty={<p>{messages.noWorkflows}</p>}>
        {budgets => (
          <ul className={styles.list}>
            {budgets.map(budget => (
              <BudgetForm key={budget.workflowId} path={path} budget={budget} />
            ))}
          </ul>
        )}
      </InfiniteList>
    </Dialog>
  );
}

function BudgetForm({ path, budget }: { readonly path: string; readonly budget: TeamBudget }) {
  const { workflowId, name, dailyCreditBudget, spentToday } = budget;
  const saved = dailyCreditBudget === null ? '' : String(dailyCreditBudget);
  const [credits, setCredits] = useState(saved);
  const finishChange = useFinishChange();
  const save = useMutation({
    mutationFn: async () => {
      await api.put(`${path}/${workflowId}`, { dailyCreditBudget: credits === '' ? null : Number(credits) });
      await finishChange(messages.budgetSaved(name), [path]);
    },
  });
  return (
    <li>
      <Form onSubmit={() => save.mutate()}>
        <div className={styles.row}>
          <TextField
            label={messages.budgetOf(name)}
            hint={
              <SecondaryText>
                {messages.spentToday}: {formatNumber(spentToday)}
              </SecondaryText>
            }
            type="number"
            min={0}
            max={MAX_BUDGET}
            step={1}
            value={credits}
            onChange={event => setCredits(event.target.value)}
          />
          <Button type="submit" isBusy={save.isPending} disabled={credits === saved}>
            {messages.save}
          </Button>
        </div>
        {save.error !== null && <Failure error={save.error} />}
      </Form>
    </li>
  );
}
