// Renders a dialog that sets the daily budgets of a team and of its workflows.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { InstanceTeam, TeamBudget } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { CreditsField } from '../../../kit/credits-field.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { Form } from '../../../kit/form.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { api } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/format.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { toLimit } from '../../../lib/to-limit.ts';
import { messages as sharedMessages } from '../../../messages.ts';
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
  const path = `/admin/teams/${team.id}/budgets` as const;
  const list = useList(path, { limit: 50 });
  return (
    <Dialog title={messages.budgetsTitle(team.name)} onClose={onClose}>
      <p>{messages.budgetsDescription}</p>
      <BudgetForm
        path={`/admin/teams/${team.id}/budget`}
        label={messages.wholeBudget}
        name={team.name}
        dailyCreditBudget={team.dailyCreditBudget}
        spentToday={team.spentToday}
        affectedQueries={['/admin/teams']}
      />
      <InfiniteList query={list} empty={<p>{messages.noWorkflows}</p>}>
        {budgets => (
          <ul className={styles.list}>
            {budgets.map(budget => (
              <li key={budget.workflowId}>
                <BudgetForm
                  {...budget}
                  path={`${path}/${budget.workflowId}`}
                  label={messages.budgetOf(budget.name)}
                  affectedQueries={[path]}
                />
              </li>
            ))}
          </ul>
        )}
      </InfiniteList>
    </Dialog>
  );
}

interface BudgetFormProps extends Pick<TeamBudget, 'name' | 'dailyCreditBudget' | 'spentToday'> {
  /** The path of the request that sets the budget. */
  readonly path: string;
  readonly label: string;
  /** First segments of the queries that show the budget. */
  readonly affectedQueries: readonly string[];
}

function BudgetForm({ path, label, name, dailyCreditBudget, spentToday, affectedQueries }: BudgetFormProps) {
  const [savedCredits, setSavedCredits] = useState(
    dailyCreditBudget === null ? '' : String(dailyCreditBudget),
  );
  const [credits, setCredits] = useState(savedCredits);
  const reloadAndToast = useReloadAndToast();
  const save = useMutation({
    mutationFn: async () => {
      await api.put(path, { dailyCreditBudget: toLimit(credits) });
      setSavedCredits(credits);
      await reloadAndToast(messages.budgetSaved(name), affectedQueries);
    },
  });
  return (
    <Form onSubmit={() => save.mutate()}>
      <div className={styles.row}>
        <CreditsField
          label={label}
          hint={
            <SecondaryText>
              {messages.spentToday}: {formatNumber(spentToday)}
            </SecondaryText>
          }
          max={MAX_BUDGET}
          value={credits}
          onChange={setCredits}
        />
        <Button type="submit" isBusy={save.isPending} disabled={credits === savedCredits}>
          {sharedMessages.common.save}
        </Button>
      </div>
      {save.error !== null && <Failure error={save.error} />}
    </Form>
  );
}
