// Renders the choice of the provider whose models are compared.
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { messages } from './messages.ts';
import { type PlanRequest, PROVIDERS, type ProviderName } from './model.ts';

interface CompareDialogProps {
  readonly onChoose: (request: PlanRequest) => void;
  readonly onClose: () => void;
}

export function CompareDialog({ onChoose, onClose }: CompareDialogProps) {
  const [provider, setProvider] = useState<ProviderName>('fal');
  return (
    <Dialog
      title={messages.compareTitle}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={() => onChoose({ provider })}>
          {messages.compare}
        </Button>
      }
    >
      <p>{messages.compareText}</p>
      <SelectField
        label={messages.provider}
        value={provider}
        onChange={event => setProvider(event.target.value as ProviderName)}
      >
        {Object.entries(PROVIDERS)
          .filter(([name]) => name !== 'comfyui')
          .map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
      </SelectField>
    </Dialog>
  );
}
