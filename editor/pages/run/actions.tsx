// Renders the actions of a run: approve or reject, cancel, resume.

import Play from 'icon:play';
import Square from 'icon:square';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Execution } from '../../../sdk/src/types.ts';
import { hasEnded } from '../../../sdk/src/types.ts';
import { Button } from '../../kit/button.tsx';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';

export function Actions({ run }: { readonly run: Execution }) {
  return (
    <>
      {!hasEnded(run) && run.status !== 'CANCELLING' && <CancelButton id={run.id} />}
      {hasEnded(run) && run.status !== 'COMPLETED' && <ResumeButton id={run.id} />}
    </>
  );
}

function CancelButton({ id }: { readonly id: string }) {
  const reloadAndToast = useReloadAndToast();
  const cancel = useMutation({
    mutationFn: () => api.post(`/executions/${id}/cancel`),
    onSuccess: () => reloadAndToast(messages.cancelled, ['/executions']),
    onError: showError,
  });
  return (
    <Button icon={Square} isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
      {messages.cancel}
    </Button>
  );
}

function ResumeButton({ id }: { readonly id: string }) {
  const resume = useResume(id);
  return (
    <Button
      variant="primary"
      icon={Play}
      title={messages.resumeHint}
      isBusy={resume.isPending}
      onClick={() => resume.mutate({})}
    >
      {messages.resume}
    </Button>
  );
}

function useResume(id: string) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (body: object) => api.post<{ executionId: string }>(`/executions/${id}/resume`, body),
    onSuccess: ({ executionId }) => {
      void client.invalidateQueries({ queryKey: ['/executions'] });
      if (executionId === id) return;
      showToast(messages.resumed);
      navigate(`/executions/${executionId}`);
    },
    onError: showError,
  });
}
