// Renders the webhook deliveries of a run with their attempts, and a button to resend each.
import { useMutation } from '@tanstack/react-query';
import type { Delivery } from '../../../sdk/src/schemas.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { showError } from '../../kit/failure.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { api } from '../../lib/api.ts';
import { formatDuration } from '../../lib/format.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'neutral',
  attempting: 'accent',
  delivered: 'success',
  exhausted: 'danger',
};
const POLL_MS = 3000;

export function Deliveries({ executionId, state }: { executionId: string; state: Delivery['state'] }) {
  const path = `/executions/${executionId}/deliveries` as const;
  const list = useList(path, {}, deliveries =>
    deliveries.some(({ finishedAt }) => finishedAt === null) ? POLL_MS : false,
  );
  return (
    <section>
      <h2>{messages.deliveries}</h2>
      <InfiniteList query={list} empty={<Badge tone={TONES[state]}>{messages.deliveryStates[state]}</Badge>}>
        {deliveries => (
          <ul className={styles.deliveries}>
            {deliveries.map(delivery => (
              <DeliveryItem key={delivery.id} delivery={delivery} path={path} />
            ))}
          </ul>
        )}
      </InfiniteList>
    </section>
  );
}

function DeliveryItem({ delivery, path }: { readonly delivery: Delivery; readonly path: string }) {
  const { id, event, url, state, attempts, nextAttemptAt } = delivery;
  const reloadAndToast = useReloadAndToast();
  const resend = useMutation({
    mutationFn: () => api.post(`${path}/${id}/redeliver`),
    onSuccess: () => reloadAndToast(messages.resent, [path]),
    onError: showError,
  });
  return (
    <li className={styles.delivery}>
      <div className={styles.deliveryHead}>
        <Badge tone={TONES[state]}>{messages.deliveryStates[state]}</Badge>
        <code>{event}</code>
        <span className={styles.address}>{url}</span>
        <Button size="s" isBusy={resend.isPending} onClick={() => resend.mutate()}>
          {messages.resend}
        </Button>
      </div>
      <ol className={styles.attempts}>
        {attempts.map(({ attempt, startedAt, durationMs, statusCode, error }) => (
          <li key={attempt}>
            <strong>{statusCode ?? messages.noResponse}</strong> <RelativeTime time={startedAt} />
            {durationMs !== null && ` · ${formatDuration(durationMs)}`}
            {error !== null && ` · ${error}`}
          </li>
        ))}
        {nextAttemptAt !== null && (
          <li>
            {messages.nextAttempt}: <RelativeTime time={nextAttemptAt} />
          </li>
        )}
      </ol>
    </li>
  );
}
