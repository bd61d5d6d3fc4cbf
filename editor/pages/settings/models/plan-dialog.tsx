// Renders a dialog with the planned changes of models and saves them. Saving fails if the models changed meanwhile.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge, type Tone } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { CheckField } from '../../../kit/field.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';
import type { Model, PlanRequest } from './model.ts';

type ChangeKind = 'new' | 'changed' | 'gone' | 'unusable';

interface PlannedChange {
  readonly kind: ChangeKind;
  readonly nodeType: string;
  readonly endpoint: string;
  readonly changes: readonly { readonly what: string }[];
  readonly model?: Model;
}

interface ModelPlan {
  readonly revision: string;
  readonly compared: number;
  readonly isLarge: boolean;
  readonly changes: readonly PlannedChange[];
}

const TONES: Readonly<Record<ChangeKind, Tone>> = {
  new: 'success',
  changed: 'warning',
  gone: 'danger',
  unusable: 'neutral',
};
const MAX_SHOWN_CHANGES = 200;

export function PlanDialog({
  request,
  onClose,
}: {
  readonly request: PlanRequest;
  readonly onClose: () => void;
}) {
  const plan = useQuery({
    queryKey: ['/admin/models/plan', request],
    queryFn: ({ signal }) => api.post<ModelPlan>('/admin/models/plan', request, { signal }),
    retry: false,
    gcTime: 0,
  });
  const [isReviewed, setReviewed] = useState(false);
  const reloadAndToast = useReloadAndToast();
  const models = plan.data?.changes.flatMap(({ model }) => model ?? []) ?? [];
  const save = useMutation({
    mutationFn: async () => {
      await api.post('/admin/models', { revision: plan.data?.revision, models });
      await reloadAndToast(messages.saved(models.length), ['/admin/models', '/nodes']);
    },
    onSuccess: onClose,
  });
  return (
    <Dialog
      title={messages.planTitle}
      onClose={onClose}
      actions={
        models.length > 0 && (
          <Button
            variant="primary"
            disabled={plan.data?.isLarge === true && !isReviewed}
            isBusy={save.isPending}
            onClick={() => save.mutate()}
          >
            {messages.save(models.length)}
          </Button>
        )
      }
    >
      <QueryResult query={plan}>{data => <Changes {...data} />}</QueryResult>
      {plan.data?.isLarge && (
        <CheckField
          label={messages.confirmLarge}
          checked={isReviewed}
          onChange={event => setReviewed(event.target.checked)}
        />
      )}
      {save.error && <Failure error={save.error} />}
    </Dialog>
  );
}

function Changes({ changes, compared }: ModelPlan) {
  if (changes.length === 0) return <p>{messages.noChanges(compared)}</p>;
  return (
    <>
      <ul>
        {changes.slice(0, MAX_SHOWN_CHANGES).map(({ kind, nodeType, endpoint, changes: details }) => (
          <li key={endpoint}>
            <Badge tone={TONES[kind]}>{messages.kinds[kind]}</Badge> <code>{nodeType || endpoint}</code>
            {details.length > 0 && `: ${details.map(({ what }) => what).join('; ')}`}
          </li>
        ))}
      </ul>
      {changes.length > MAX_SHOWN_CHANGES && (
        <p>{messages.moreChanges(changes.length - MAX_SHOWN_CHANGES)}</p>
      )}
    </>
  );
}
