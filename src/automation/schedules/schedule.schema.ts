// Defines the schemas of schedules: requests and responses.
import { type Static, Type } from 'typebox';
import { PageSchema } from '../../services/paging.ts';
import { Exact, IdParams, Named, NamedExact, Nullable, Timestamp, Warnings } from '../../services/schema.ts';
import { OUTCOMES, PAUSE_REASONS } from '../store.ts';
import { CATCH_UPS, FIRING_KINDS, OVERLAPS, RUNS_VERSIONS } from './store.ts';

const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 366 * 86_400;
const MAX_JITTER_SECONDS = 300;

const Cron = Type.String({
  maxLength: 200,
  description:
    'Five fields (minute, hour, day of the month, month, day of the week), or a name such as `@daily`',
});
const EverySeconds = Type.Integer({
  minimum: MIN_INTERVAL_SECONDS,
  maximum: MAX_INTERVAL_SECONDS,
  description: 'An interval in elapsed time, which starts when it is set',
});
const TimeZone = Type.String({ minLength: 1, maxLength: 64, description: 'Such as `Europe/Berlin`' });
const MaxCredits = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The credits that each run may cost',
});

const SETTINGS = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  inputs: Type.Optional(
    Type.Record(Type.String({ maxLength: 200 }), Type.Unknown(), {
      description: 'Values by input name or node ID, as in the request to run a workflow; stored by node ID',
    }),
  ),
  version: Type.Optional(
    Type.Enum(RUNS_VERSIONS, {
      default: 'current',
      description: 'Which version of the workflow each run uses',
    }),
  ),
  overlap: Type.Optional(
    Type.Enum(OVERLAPS, {
      default: 'skip',
      description:
        'What to do if the previous run has not ended: `skip` the new one, `queue` it, `allow` both, or cancel the previous one',
    }),
  ),
  catchUp: Type.Optional(
    Type.Enum(CATCH_UPS, {
      default: 'latest',
      description:
        'Which times to run that were missed in the last 24 hours because no worker was running: the `latest`, `all` (at most 100, one after the other) or `none`',
    }),
  ),
  jitterSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_JITTER_SECONDS,
      default: 0,
      description: 'Delays all runs by one random time of at most this long',
    }),
  ),
  isActive: Type.Optional(Type.Boolean({ default: true })),
};

export const CreateScheduleBody = NamedExact(
  'ScheduleRequest',
  'When to run a workflow: `cron` or `everySeconds`, and with what',
  {
    cron: Type.Optional(Cron),
    everySeconds: Type.Optional(EverySeconds),
    timeZone: Type.Optional({ ...TimeZone, default: 'UTC' }),
    maxCredits: Type.Optional(MaxCredits),
    ...SETTINGS,
  },
);
export type CreateScheduleBody = Static<typeof CreateScheduleBody>;

export const UpdateScheduleBody = NamedExact(
  'ScheduleChange',
  'What to change. `cron` replaces `everySeconds`, and the other way round.',
  {
    cron: Type.Optional(Cron),
    everySeconds: Type.Optional(EverySeconds),
    timeZone: Type.Optional(TimeZone),
    maxCredits: Type.Optional(Nullable(MaxCredits)),
    ...SETTINGS,
  },
  { minProperties: 1 },
);
export type UpdateScheduleBody = Static<typeof UpdateScheduleBody>;

export const PreviewBody = NamedExact('SchedulePreviewRequest', 'When a schedule would run', {
  cron: Type.Optional(Cron),
  everySeconds: Type.Optional(EverySeconds),
  timeZone: Type.Optional({ ...TimeZone, default: 'UTC' }),
});
export type PreviewBody = Static<typeof PreviewBody>;

export const SchedulePreview = Named('SchedulePreview', 'When a schedule would run', {
  times: Type.Array(Timestamp, { description: 'The next five times' }),
});

export const BackfillBody = Exact({
  from: Timestamp,
  to: Timestamp,
  dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only estimates: nothing runs' })),
  repeat: Type.Optional(
    Type.Boolean({ default: false, description: 'Runs the times again that an earlier request ran' }),
  ),
});
export type BackfillBody = Static<typeof BackfillBody>;

export const Backfill = Named('Backfill', 'The runs that make up for times in the past', {
  runs: Type.Integer(),
  dueAt: Type.Array(Timestamp),
  alreadyRun: Type.Integer({
    description: 'The number of due times that are left out, because an earlier request ran them',
  }),
  estimate: Type.Object({
    credits: Type.Integer({ description: 'Of all runs' }),
    exact: Type.Boolean(),
    perRun: Type.Integer(),
  }),
});

export const ScheduleParams = IdParams('Schedule ID, `sch_…`');

const FIELDS = {
  id: Type.String(),
  workflowId: Type.String(),
  workflowName: Type.String(),
  name: Type.String(),
  cron: Nullable(Type.String()),
  everySeconds: Nullable(Type.Integer()),
  timeZone: Type.String(),
  inputs: Type.Object({}, { additionalProperties: true }),
  maxCredits: Nullable(Type.Integer()),
  version: Type.Enum(RUNS_VERSIONS),
  overlap: Type.Enum(OVERLAPS),
  catchUp: Type.Enum(CATCH_UPS),
  jitterSeconds: Type.Integer(),
  isActive: Type.Boolean(),
  pausedReason: Nullable(
    Type.Enum(PAUSE_REASONS, {
      description: 'Why it paused by itself; null: it is active, or a user paused it',
    }),
  ),
  nextRunAt: Nullable(Timestamp),
  lastRunAt: Nullable(Timestamp),
  lastExecutionId: Nullable(Type.String()),
  createdBy: Type.Integer({ description: 'The user as whom it runs' }),
  createdAt: Timestamp,
};
export const Schedule = Named('Schedule', 'When a workflow runs by itself', FIELDS);
export const CreatedSchedule = Named('CreatedSchedule', 'A schedule that was created', {
  ...FIELDS,
  meta: Warnings,
});
export const SchedulePage = PageSchema(Schedule);

const Firing = Named('Firing', 'A time at which a schedule was due', {
  dueAt: Timestamp,
  acceptedAt: Nullable(Timestamp),
  kind: Type.Enum(FIRING_KINDS),
  outcome: Type.Enum(['waiting', ...OUTCOMES]),
  reason: Nullable(Type.String({ description: 'Why it was skipped or refused' })),
  executionId: Nullable(Type.String()),
});
export const FiringPage = PageSchema(Firing);

export const StartedFiring = Named('StartedFiring', 'A run that a schedule started', {
  executionId: Type.String(),
  scheduleId: Type.String(),
});
