// Renders the fields of an account that administrators set: plan and role.
import { useQuery } from '@tanstack/react-query';
import { CheckField, SelectField } from '../../../kit/field.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Choices } from '../section.tsx';
import { messages } from './messages.ts';

export interface Account {
  /** An empty string selects the default plan. */
  readonly plan: string;
  readonly isAdmin: boolean;
  readonly isAuthor: boolean;
}

interface AccountFieldsProps {
  readonly account: Account;
  readonly onChange: (account: Account) => void;
}

export function AccountFields({ account, onChange }: AccountFieldsProps) {
  return (
    <>
      <PlanField plan={account.plan} onChange={plan => onChange({ ...account, plan })} />
      <Choices label={messages.role}>
        <CheckField
          label={messages.admin}
          hint={messages.adminHint}
          checked={account.isAdmin}
          onChange={event => onChange({ ...account, isAdmin: event.target.checked })}
        />
        <CheckField
          label={messages.author}
          hint={messages.authorHint}
          checked={account.isAuthor}
          onChange={event => onChange({ ...account, isAuthor: event.target.checked })}
        />
      </Choices>
    </>
  );
}

function PlanField({ plan, onChange }: { readonly plan: string; readonly onChange: (plan: string) => void }) {
  const { data } = useQuery({
    ...apiQuery(['/admin/plans']),
    staleTime: 60_000,
  });
  const plans = data?.plans ?? [];
  const defaultPlan = plans.find(({ isDefault }) => isDefault)?.name ?? '';
  return (
    <SelectField
      label={messages.plan}
      value={plan === '' ? defaultPlan : plan}
      onChange={event => onChange(event.target.value)}
      options={plans.map(({ name, isDefault }) => {
        const text = settingsMessages.planName(name);
        return [name, isDefault ? messages.defaultPlan(text) : text] as const;
      })}
    >
      {/* A plan that no longer exists stays selected until the administrator chooses another plan. */}
      {plan !== '' && !plans.some(({ name }) => name === plan) && <option>{plan}</option>}
    </SelectField>
  );
}
