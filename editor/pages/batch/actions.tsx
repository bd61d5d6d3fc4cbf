// Renders the actions of a batch: stop, resume, retry and export.

import Download from 'icon:download';
import Play from 'icon:play';
import RotateCcw from 'icon:rotate-ccw';
import Square from 'icon:square';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Batch } from '../../../sdk/src/types.ts';
import { Button } from '../../kit/button.tsx';
import { showError } from '../../kit/failure.tsx';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';
import { toRowsPath } from './use-batch.ts';

export function Actions({ batch }: { readonly batch: Batch }) {
  const action = useBatchAction(batch.id);
  const [isRaisingLimit, setIsRaisingLimit] = useState(false);
  const { status, reason, counts } = batch;
  const canResume = status === 'PAUSED' || status === 'STOPPED';
  const needsLimit = reason === 'max_credits';
  return (
    <>
      {status === 'RUNNING' && (
        <Button
          icon={Square}
          isBusy={action.isPending}
          onClick={() => action.mutate({ action: 'stop', text: messages.stopped })}
        >
          {messages.stop}
        </Button>
      )}
      {status === 'STOPPING' && counts.running > 0 && (
        <Button
          isBusy={action.isPending}
          onClick={() =>
            action.mutate({ action: 'stop', body: { cancelRunning: true }, text: messages.stopped })
          }
        >
          {messages.cancelRunning}
        </Button>
      )}
      {counts.failed > 0 && status !== 'STOPPING' && (
        <Button
          icon={RotateCcw}
          isBusy={action.isPending}
          onClick={() => action.mutate({ action: 'retry', text: messages.retried })}
        >
          {messages.retry(counts.failed)}
        </Button>
      )}
      {canResume && counts.waiting > 0 && (
        <Button
          variant="primary"
          icon={Play}
          isBusy={action.isPending}
          onClick={() =>
            needsLimit ? setIsRaisingLimit(true) : action.mutate({ action: 'resume', text: messages.resumed })
          }
        >
          {messages.resume}
        </Button>
      )}
      <ExportMenu id={batch.id} />
      {isRaisingLimit && <RaiseLimitDialog batch={batch} onClose={() => setIsRaisingLimit(false)} />}
    </>
  );
}

interface BatchAction {
  readonly action: 'stop' | 'resume' | 'retry';
  readonly body?: object;
  readonly text: string;
}

function useBatchAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ action, body = {} }: BatchAction) => api.post(`/batches/${id}/${action}`, body),
    onSuccess: (batch, { text }) => {
      client.setQueryData(['/batches', id], batch);
      void client.invalidateQueries({ queryKey: [toRowsPath(id)] });
      showToast(text);
    },
    onError: showError,
  });
}

const FORMATS = Object.entries(messages.formats);

function ExportMenu({ id }: { readonly id: string }) {
  return (
    <Menu trigger={<Button icon={Download}>{messages.export}</Button>}>
      {FORMATS.map(([format, text]) => (
        <MenuItem
          key={format}
          onSelect={() => {
            location.href = `/api/v1/batches/${encodeURIComponent(id)}/export?format=${format}&bom=true`;
          }}
        >
          {text}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** Asks for a larger limit before a batch that reached its limit continues. */
function RaiseLimitDialog({ batch, onClose }: { readonly batch: Batch; readonly onClose: () => void }) {
  const client = useQueryClient();
  const limit = batch.maxCredits ?? 0;
  const [text, setText] = useState(String(Math.max(limit + 1, batch.credits.estimated)));
  const isTooLow = !/^\d{1,12}$/.test(text) || Number(text) <= limit;
  const resume = async (): Promise<void> => {
    const changed = await api.post(`/batches/${batch.id}/resume`, { maxCredits: Number(text) });
    client.setQueryData(['/batches', batch.id], changed);
  };
  return (
    <FormDialog title={messages.raise} submitText={messages.resume} onSubmit={resume} onClose={onClose}>
      <TextField
        label={messages.maxCredits}
        inputMode="numeric"
        value={text}
        error={isTooLow ? messages.tooLow(limit) : undefined}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  );
}
