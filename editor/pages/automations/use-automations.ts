// Reads schedules and triggers as one list, and changes them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreatedTrigger, Schedule, Trigger } from '../../../sdk/src/schemas.ts';
import type { ExecutionStatus } from '../../../sdk/src/types.ts';
import { showError } from '../../kit/failure.tsx';
import { useList } from '../../kit/infinite-list.tsx';
import { api } from '../../lib/api.ts';
import { getPollIntervalMs } from '../../lib/runs.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';

export type Automation =
  | ({ readonly type: 'schedule' } & Schedule)
  | ({ readonly type: 'trigger' } & Trigger);

/** Returns `schedule`, or the kind of a trigger. */
export const getKind = (automation: Automation): string =>
  automation.type === 'schedule' ? automation.type : automation.kind;

const PAGE_QUERY = { limit: 100 };
/** If an automation's last run is not among this many newest runs, its status is not shown. */
const MAX_RUNS = 100;
const POLL_MS = 20_000;

/** Reads the schedules and triggers of a workflow, or of all workflows that the user may edit. */
export function useAutomations(workflowId: string | undefined) {
  const prefix = workflowId === undefined ? '' : (`/workflows/${workflowId}` as const);
  const schedules = useList(`${prefix}/schedules`, PAGE_QUERY, () => POLL_MS);
  const triggers = useList(`${prefix}/triggers`, PAGE_QUERY, () => POLL_MS);
  const items: readonly Automation[] = [
    ...(schedules.data ?? []).map(schedule => ({ type: 'schedule' as const, ...schedule })),
    ...(triggers.data ?? []).map(trigger => ({ type: 'trigger' as const, ...trigger })),
  ];
  return {
    items,
    isLoading: schedules.data === undefined || triggers.data === undefined,
    error: schedules.error ?? triggers.error,
    hasMore: schedules.hasNextPage || triggers.hasNextPage,
    loadMore: () =>
      void Promise.all([
        schedules.hasNextPage && schedules.fetchNextPage(),
        triggers.hasNextPage && triggers.fetchNextPage(),
      ]),
    refetch: () => void Promise.all([schedules.refetch(), triggers.refetch()]),
  };
}

/** Returns the status of the newest runs by run id. */
export function useRunStatuses(workflowId: string | undefined): ReadonlyMap<string, ExecutionStatus> {
  const path = workflowId === undefined ? '/executions' : (`/workflows/${workflowId}/executions` as const);
  const { data } = useQuery({
    queryKey: [path, 'statuses'],
    queryFn: async ({ signal }) => {
      const { data } = await api.get(path, {
        query: { limit: MAX_RUNS },
        signal,
      });
      return data;
    },
    refetchInterval: query => getPollIntervalMs(query.state.data ?? []),
  });
  return new Map(data?.map(({ id, status }) => [id, status]));
}

const toPath = ({ type, id }: Automation) => `/${type}s/${id}` as const;

/** Reloads all lists of automations and runs. */
export function useReloadAutomations(): () => Promise<void> {
  const client = useQueryClient();
  return () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        typeof path === 'string' && /\/(?:schedules|triggers|executions)\b/.test(path),
    });
}

type AutomationAction = 'pause' | 'resume' | 'run';

/** Pauses, activates or runs an automation. */
export function useAutomationAction(automation: Automation) {
  const reload = useReloadAutomations();
  const path = toPath(automation);
  return useMutation({
    mutationFn: async (action: AutomationAction) =>
      action === 'run'
        ? (await api.post(`${path}/run`, {})).executionId
        : void (await api.patch(path, { isActive: action === 'resume' })),
    onSuccess: (executionId, action) => {
      const openRun = { label: messages.openRun, run: () => location.assign(`/executions/${executionId}`) };
      showToast(SUCCESS_MESSAGES[action], executionId === undefined ? {} : { action: openRun });
    },
    onError: showError,
    onSettled: reload,
  });
}

const SUCCESS_MESSAGES: Readonly<Record<AutomationAction, string>> = {
  pause: messages.paused,
  resume: messages.activated,
  run: messages.started,
};

/** Shows what the service warned of when it created an automation, such as secrets that its runs cannot send. */
export function showWarnings({ meta }: Pick<CreatedTrigger, 'meta'>): void {
  for (const warning of meta?.warnings ?? []) showToast(warning, { tone: 'failed' });
}

export async function removeAutomation(automation: Automation): Promise<void> {
  await api.delete(toPath(automation));
}

/** Replaces the token in the URL of a webhook trigger. Returns the new URL. */
export async function replaceWebhookUrl(trigger: Pick<Trigger, 'id'>): Promise<string | undefined> {
  return (await api.patch(`/triggers/${trigger.id}`, { renewToken: true })).url;
}

export const getHistoryPath = (automation: Automation): string =>
  `${toPath(automation)}/${automation.type === 'schedule' ? 'firings' : 'events'}`;
