// Defines the schemas of triggers: requests and responses.
import { type Static, Type } from 'typebox';
import { PageSchema } from '../../services/paging.ts';
import { Exact, IdParams, Named, NamedExact, Nullable, Timestamp, Warnings } from '../../services/schema.ts';
import { OUTCOMES } from '../store.ts';
import { TRIGGER_KINDS } from './store.ts';

const MIN_FEED_MINUTES = 5;
const END_STATUSES = ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED'] as const;

const Name = Type.String({ minLength: 1, maxLength: 200 });
const MaxCredits = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Inputs = Type.Record(
  Type.String({ maxLength: 200 }),
  Type.String({ maxLength: 1000, pattern: '^(/.*)?$' }),
  {
    maxProperties: 1000,
    description:
      'By input name or node ID, a JSON pointer into the payload; an empty pointer selects all of it. If the payload has no value there, the node keeps its own.',
  },
);

const Config = Exact(
  {
    secret: Type.Optional(
      Nullable(
        Type.String({
          minLength: 16,
          maxLength: 256,
          description:
            '`hook`: requests must have a Standard Webhooks signature made with this secret. It is never returned.',
        }),
      ),
    ),
    workflowId: Type.Optional(
      Type.String({ maxLength: 64, description: 'after: the workflow whose runs start this one' }),
    ),
    statuses: Type.Optional(
      Type.Array(Type.Enum(END_STATUSES), {
        minItems: 1,
        maxItems: END_STATUSES.length,
        description: 'after: the final statuses of runs that count; by default COMPLETED',
      }),
    ),
    url: Type.Optional(Type.String({ maxLength: 2048, description: 'feed: the URL of an RSS or Atom feed' })),
    everyMinutes: Type.Optional(
      Type.Integer({
        minimum: MIN_FEED_MINUTES,
        maximum: 10_080,
        description: 'feed: how often to poll; by default every 15 minutes',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: 500,
        pattern: '^inbox/',
        description: 'bucket: the prefix of the files, below `inbox/` in the bucket of the service',
      }),
    ),
  },
  { description: 'The settings of this kind' },
);
export type TriggerConfig = Static<typeof Config>;

export const CreateTriggerBody = NamedExact('TriggerRequest', 'What starts runs of the workflow', {
  kind: Type.Enum(TRIGGER_KINDS, {
    description:
      '`hook`: a request; `after`: the end of a run of another workflow; `feed`: a new item; `bucket`: a new file',
  }),
  name: Type.Optional(Name),
  config: Type.Optional(Config),
  inputs: Type.Optional(Inputs),
  maxCredits: Type.Optional(
    Nullable({ ...MaxCredits, description: 'The most that a run may cost; null: no limit' }),
  ),
  isActive: Type.Optional(Type.Boolean({ default: true })),
});
export type CreateTriggerBody = Static<typeof CreateTriggerBody>;

const { kind: _, ...CHANGEABLE } = CreateTriggerBody.properties;
export const ChangeTriggerBody = NamedExact(
  'TriggerChange',
  'What to change',
  {
    ...CHANGEABLE,
    renewToken: Type.Optional(
      Type.Literal(true, { description: 'hook: creates a new token; the old one stops working' }),
    ),
  },
  { minProperties: 1 },
);
export type ChangeTriggerBody = Static<typeof ChangeTriggerBody>;

export const TriggerParams = IdParams('Trigger ID, `trg_…`');

export const RunTriggerBody = Exact({
  payload: Type.Optional(Type.Unknown({ description: 'Replaces the payload of the event' })),
});

export const StartedRun = Named('StartedRun', 'A run that was started', {
  executionId: Type.String(),
});

const FIELDS = {
  id: Type.String(),
  workflowId: Type.String(),
  workflowName: Type.String(),
  kind: Type.Enum(TRIGGER_KINDS),
  name: Type.String(),
  config: Type.Object(
    { hasSecret: Type.Optional(Type.Boolean()) },
    { additionalProperties: true, description: 'The settings of this kind, without secrets' },
  ),
  inputs: Type.Object({}, { additionalProperties: true }),
  maxCredits: Nullable(Type.Integer()),
  isActive: Type.Boolean(),
  pausedReason: Nullable(
    Type.String({ description: 'Why it paused by itself, such as `failures` or `credits`' }),
  ),
  lastRunAt: Nullable(Timestamp),
  lastExecutionId: Nullable(Type.String()),
  createdBy: Type.Integer(),
  createdAt: Timestamp,
};

export const Trigger = Named('Trigger', 'Starts runs of a workflow when something happens', FIELDS);
export const TriggerPage = PageSchema(Trigger);
export const CreatedTrigger = Named('CreatedTrigger', 'A trigger, with the URL of a hook', {
  ...FIELDS,
  url: Type.Optional(
    Type.String({ description: 'hook: the address with its token. It cannot be shown again.' }),
  ),
  meta: Warnings,
});

const TriggerEvent = Named('TriggerEvent', 'An entry of the history of a trigger', {
  at: Timestamp,
  outcome: Type.Enum(OUTCOMES),
  reason: Nullable(Type.String()),
  executionId: Nullable(Type.String()),
});
export const TriggerEventPage = PageSchema(TriggerEvent);
