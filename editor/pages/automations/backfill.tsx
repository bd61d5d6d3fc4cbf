// Renders the dialog that runs a schedule for times in the past. It shows the number of runs and their price first.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../sdk/src/errors.ts';
import type { Schedule } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Failure } from '../../kit/failure.tsx';
import { TextField } from '../../kit/field.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import styles from './forms.module.css';
import { messages } from './messages.ts';
import { getUsualPeriodMs } from './timing.ts';
import { useReloadAutomations } from './use-automations.ts';

const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface BackfillDialogProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

export function BackfillDialog({ schedule, onClose }: BackfillDialogProps) {
  const path = `/schedules/${schedule.id}/backfill` as const;
  const [from, setFrom] = useState(() => toLocalTime(Date.now() - getUsualPeriodMs(schedule)));
  const [to, setTo] = useState(() => toLocalTime(Date.now()));
  const period = toPeriod(from, to);
  const estimate = useQuery({
    queryKey: [path, from, to],
    queryFn: ({ signal }) => api.post(path, { ...period, dryRun: true }, { signal }),
    enabled: period !== undefined,
    staleTime: 0,
  });
  const reload = useReloadAutomations();
  const start = useMutation({
    mutationFn: () => api.post(path, period),
    onSuccess: ({ runs }) => {
      showToast(messages.backfills.started(runs));
      onClose();
    },
    onSettled: reload,
  });
  const runs = estimate.data?.runs ?? 0;
  const error = start.error ?? estimate.error;
  const hasNoTimes = estimate.error instanceof ApiError && estimate.error.issues[0]?.path === '/from';
  return (
    <Dialog
      title={messages.backfills.title(schedule.name)}
      onClose={onClose}
      actions={
        <Button
          variant="primary"
          disabled={runs === 0}
          isBusy={start.isPending}
          onClick={() => start.mutate()}
        >
          {messages.backfills.start(runs)}
        </Button>
      }
    >
      <div className={styles.dates}>
        <TextField
          label={messages.backfills.from}
          type="datetime-local"
          hint={messages.backfills.zone(TIME_ZONE)}
          value={from}
          onChange={({ target }) => {
            setFrom(target.value);
            start.reset();
          }}
        />
        <TextField
          label={messages.backfills.to}
          type="datetime-local"
          value={to}
          onChange={({ target }) => {
            setTo(target.value);
            start.reset();
          }}
        />
      </div>
      {error !== null && (hasNoTimes ? <p role="status">{error.message}</p> : <Failure error={error} />)}
      {estimate.isLoading && <Loading />}
      {estimate.data && <p role="status">{messages.backfills.estimate(estimate.data)}</p>}
    </Dialog>
  );
}

/** Converts a time to the value of a `datetime-local` field. */
function toLocalTime(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 16);
}

/** Returns undefined while the period is incomplete or empty. */
function toPeriod(from: string, to: string): { readonly from: string; readonly to: string } | undefined {
  const [start, end] = [new Date(from), new Date(to)];
  // The comparison is also false if one of the dates is invalid.
  if (!(start < end)) return undefined;
  return { from: start.toISOString(), to: end.toISOString() };
}
