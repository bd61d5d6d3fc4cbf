// Renders a dialog that creates an API key with a name, permissions, an expiry and a monthly limit.
import { CheckField, SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { useForm } from '../../../kit/use-form.ts';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { useSession } from '../../../lib/session.ts';
import { toLimit } from '../../../lib/to-limit.ts';
import { LimitField } from '../limit-dialog.tsx';
import { messages as settingsMessages } from '../messages.ts';
import { Choices } from '../section.tsx';
import { messages } from './messages.ts';

type Scope = keyof typeof messages.scopeNames;
const SCOPES = Object.keys(messages.scopeNames) as Scope[];
const DEFAULT_SCOPES: readonly Scope[] = ['workflows:read', 'workflows:execute'];
const DEFAULT_DAYS = '90';
const DAY_MS = 86_400_000;

interface CreateKeyProps {
  /** Called with the key, which the API returns only once. */
  readonly onCreated: (key: string) => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ onCreated, onClose }: CreateKeyProps) {
  const { values, update, field } = useForm({
    name: '',
    scopes: DEFAULT_SCOPES,
    days: DEFAULT_DAYS,
    limit: '',
  });
  const reloadAndToast = useReloadAndToast();
  const create = async (): Promise<void> => {
    const { name, scopes, days, limit } = values;
    const expiresAt = days === '0' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const { key } = await api.post('/keys', { name, scopes, expiresAt, monthlyCredits: toLimit(limit) });
    onCreated(key);
    await reloadAndToast(messages.created, ['/keys']);
  };
  return (
    <FormDialog title={messages.createTitle} submitText={messages.submit} onSubmit={create} onClose={onClose}>
      <TextField
        label={settingsMessages.name}
        hint={messages.nameHint}
        required
        maxLength={200}
        {...field('name')}
      />
      <ScopeChoices selected={values.scopes} onChange={scopes => update({ scopes })} />
      <SelectField label={messages.expires} {...field('days')} options={messages.expiries} />
      <LimitField value={values.limit} onChange={limit => update({ limit })} />
    </FormDialog>
  );
}

interface ScopeChoicesProps {
  readonly selected: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** Renders the permissions of a new key. A key cannot have permissions that its creator lacks. */
function ScopeChoices({ selected, onChange }: ScopeChoicesProps) {
  const ownScopes = useSession().user.scopes;
  return (
    <Choices label={messages.permissions}>
      {SCOPES.filter(scope => ownScopes.includes(scope)).map(scope => {
        const [label, hint] = messages.scopeNames[scope];
        return (
          <CheckField
            key={scope}
            label={label}
            hint={hint}
            checked={selected.includes(scope)}
            onChange={({ target }) =>
              onChange(
                SCOPES.filter(candidate =>
                  candidate === scope ? target.checked : selected.includes(candidate),
                ),
              )
            }
          />
        );
      })}
    </Choices>
  );
}
