// Creates, changes and runs schedules and triggers.
import { listItems } from './pages.ts';
import { attachRun, type Run } from './run.ts';
import { type Call, type CallOptions, type Connection, request } from './send.ts';
import type {
  Backfill,
  CreatedTrigger,
  Firing,
  Schedule,
  ScheduleChange,
  ScheduleRequest,
  Trigger,
  TriggerChange,
  TriggerEvent,
  TriggerRequest,
} from './types.ts';

/** The methods that handles for schedules and triggers share. */
interface AutomationHandle<State, Change, Updated, Entry> {
  readonly id: string;
  get(options?: CallOptions): Promise<State>;
  /** Changes, pauses (`{ isActive: false }`) or activates the schedule or trigger. */
  update(change: Change, options?: CallOptions): Promise<Updated>;
  /** Yields the firings of the schedule or the events of the trigger, newest first. */
  history(options?: CallOptions): AsyncGenerator<Entry, void, undefined>;
  /** Deletes the schedule or trigger with its history. Its runs stay. */
  delete(options?: CallOptions): Promise<void>;
}

export interface BackfillPeriod {
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Only estimates the runs and their price. */
  readonly dryRun?: boolean;
}

/** A handle for a schedule. The schedule continues without the handle. */
export interface ScheduleHandle extends AutomationHandle<Schedule, ScheduleChange, Schedule, Firing> {
  /** Runs the schedule now, with your permissions. */
  run(options?: CallOptions): Promise<Run>;
  /** Runs the schedule for its times in a period in the past. */
  backfill(period: BackfillPeriod, options?: CallOptions): Promise<Backfill>;
}

/** A handle for a trigger. The trigger continues without the handle. */
export interface TriggerHandle
  extends AutomationHandle<Trigger, TriggerChange, CreatedTrigger, TriggerEvent> {
  /** Runs the trigger now, with your permissions, as if an event had this payload. */
  run(options?: CallOptions & { readonly payload?: unknown }): Promise<Run>;
}

export interface CreatedTriggerHandle extends TriggerHandle {
  /** The URL of a hook, which contains a secret token. It cannot be read again. */
  readonly url: string | undefined;
}

const toPath = (kind: string, id: string): string => `/${kind}/${encodeURIComponent(id)}`;

/** Creates a schedule. */
export async function createSchedule(
  connection: Connection,
  workflowId: string,
  body: ScheduleRequest,
  { signal }: CallOptions,
): Promise<ScheduleHandle> {
  const path = `${toPath('workflows', workflowId)}/schedules`;
  const { id } = await request<Schedule>(connection, { method: 'POST', path, body, signal });
  return attachSchedule(connection, id);
}

/** Returns a handle for an existing schedule. */
export function attachSchedule(connection: Connection, id: string): ScheduleHandle {
  const path = toPath('schedules', id);
  return {
    ...createHandle<Schedule, ScheduleChange, Schedule, Firing>(connection, id, path, 'firings'),
    run: ({ signal } = {}) => runNow(connection, path, {}, signal),
    backfill: (body, { signal } = {}) =>
      request<Backfill>(connection, { method: 'POST', path: `${path}/backfill`, body, signal }),
  };
}

/** Creates a trigger. */
export async function createTrigger(
  connection: Connection,
  workflowId: string,
  body: TriggerRequest,
  { signal }: CallOptions,
): Promise<CreatedTriggerHandle> {
  const path = `${toPath('workflows', workflowId)}/triggers`;
  const { id, url } = await request<CreatedTrigger>(connection, { method: 'POST', path, body, signal });
  return { ...attachTrigger(connection, id), url };
}

/** Returns a handle for an existing trigger. */
export function attachTrigger(connection: Connection, id: string): TriggerHandle {
  const path = toPath('triggers', id);
  return {
    ...createHandle<Trigger, TriggerChange, CreatedTrigger, TriggerEvent>(connection, id, path, 'events'),
    run: ({ signal, ...body } = {}) => runNow(connection, path, body, signal),
  };
}

function createHandle<State, Change, Updated, Entry>(
  connection: Connection,
  id: string,
  path: string,
  history: string,
): AutomationHandle<State, Change, Updated, Entry> {
  return {
    id,
    get: ({ signal } = {}) => request<State>(connection, { method: 'GET', path, signal }),
    update: (body, { signal } = {}) => request<Updated>(connection, { method: 'PATCH', path, body, signal }),
    history: ({ signal } = {}) =>
      listItems(connection, `${path}/${history}`, { signal, query: { limit: 200 } }),
    delete: async ({ signal } = {}) => {
      await request(connection, { method: 'DELETE', path, signal });
    },
  };
}

async function runNow(
  connection: Connection,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<Run> {
  const call: Call = { method: 'POST', path: `${path}/run`, body, signal };
  const { executionId } = await request<{ readonly executionId: string }>(connection, call);
  return attachRun(connection, executionId);
}
