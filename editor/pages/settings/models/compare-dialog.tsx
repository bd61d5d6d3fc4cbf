// Renders a dialog to choose the provider whose models are compared.

import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { messages as sharedMessages } from '../../../messages.ts';
import { messages } from './messages.ts';
import type { ModelProvider, PlanRequest } from './model.ts';

interface CompareDialogProps {
  /** The configured providers. */
  readonly providers: readonly ModelProvider[];
  readonly onChoose: (request: PlanRequest) => void;
  readonly onClose: () => void;
}

export function CompareDialog({ providers, onChoose, onClose }: CompareDialogProps) {
  const [provider, setProvider] = useState<ModelProvider>(providers[0] ?? 'fal');
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
        onChange={event => setProvider(event.target.value as ModelProvider)}
        options={providers
          .filter(name => name !== 'comfyui')
          .map(name => [name, sharedMessages.provider(name)] as const)}
      />
    </Dialog>
  );
}
