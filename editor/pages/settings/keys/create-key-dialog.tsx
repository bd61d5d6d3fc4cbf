// Creates an API key: name, permissions, expiry.
import { useState } from 'react';
import type { CreatedKey } from '../../../../sdk/src/schemas.ts';
import { CheckField, SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { api } from '../../../lib/api.ts';
import { useFinishChange } from '../../../lib/finish-change.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Choices } from '../section.tsx';
import { messages } from './messages.ts';

type Scope = keyof typeof messages.scopeNames;
const SCOPES = Object.keys(messages.scopeNames) as Scope[];
const USUAL: readonly Scope[] = ['workflows:read', 'workflows:execute'];
const USUAL_DAYS = '90';
const DAY_MS = 86_400_000;

interface CreateKeyProps {
  /** Called with the key itself, which is returned only once. */
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ onMade, onClose }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(USUAL);
  const [days, setDays] = useState(USUAL_DAYS);
  const finishChange = useFinishChange();
  const create = async (): Promise<void> => {
    const expiresAt = days === '0' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const { key } = await api.post<CreatedKey>('/keys', { name, scopes, expiresAt });
    onMade(key);
    await finishChange(messages.created, ['/keys']);
  };
  return (
    <FormDialog title={messages.createTitle} submit={messages.submit} run={create} onClose={onClose}>
      <TextField
        label={settingsMessages.name}
        hint={messages.nameHint}
        required
        maxLength={200}
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <ScopeChoices chosen={scopes} onChange={setScopes} />
      <SelectField label={messages.expires} value={days} onChange={event => setDays(event.target.value)}>
        {messages.expiries.map(([count, text]) => (
          <option key={count} value={count}>
            {text}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

interface ScopeChoicesProps {
  readonly chosen: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** A key cannot get permissions that its creator lacks. */
function ScopeChoices({ chosen, onChange }: ScopeChoicesProps) {
  const own = useSession().user.scopes;
  return (
    <Choices label={messages.scopes}>
      {SCOPES.filter(scope => own.includes(scope)).map(scope => {
        const [label, hint] = messages.scopeNames[scope];
        return (
          <CheckField
            key={scope}
            label={label}
            hint={hint}
            checked={chosen.includes(scope)}
            onChange={({ target }) =>
              onChange(SCOPES.filter(one => (one === scope ? target.checked : chosen.includes(one))))
            }
          />
        );
      })}
    </Choices>
  );
}
