// Defines the schemas of requests and responses about apps.
import { type Static, Type } from 'typebox';
import { CONTROLS } from '../graph/app-controls.ts';
import { PageQuery, PageSchema } from '../services/paging.ts';
import {
  EventStreamSchema,
  Exact,
  Id,
  Named,
  NamedExact,
  Nullable,
  PositiveInteger,
  Timestamp,
  Warnings,
} from '../services/schema.ts';
import { APP_PAYERS, AUDIENCES } from './store/apps.ts';

const NodeId = Type.String({ minLength: 1, maxLength: 200 });
const Credits = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

export const DEFAULT_RUNS_PER_VISITOR = 3;
const MAX_OUTPUTS = 20;

const AppInputSchema = NamedExact('AppInput', 'An input of the form', {
  nodeId: Type.String({
    ...NodeId,
    description: 'An input node. When you save the app, its name works too',
  }),
  label: Text(200, 'Default: its kind, such as Text or Image'),
  help: Text(1000, 'A sentence below the label'),
  placeholder: Text(500, 'An example that an empty field shows'),
  group: Text(100, 'The heading of the group of fields that it belongs to'),
  control: Type.Optional(
    Type.Enum(CONTROLS, {
      description:
        'How it is shown. Text: `textarea` (default), `text` or `choice`. Number: `text` (default), `slider`, `choice` or `switch` (1 or 0). JSON: `textarea` (default), `choice` or `switch` (true or false). List: `textarea` with one item per line. Image, video and audio: `media`.',
    }),
  ),
  min: Type.Optional(Type.Number({ description: 'The smallest number. Required for a slider' })),
  max: Type.Optional(Type.Number({ description: 'The largest number. Required for a slider' })),
  choices: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100 })),
  maxLength: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'The maximum number of characters of a text. Default: 10,000',
    }),
  ),
  isRequired: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'A required field is empty at first, unless it is a slider, choice or switch',
    }),
  ),
  showsDefault: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'An optional field shows the value or file that the workflow has, with which it runs if the field is empty',
    }),
  ),
});

const SETTINGS = {
  slug: Type.String({ pattern: '^[a-z0-9-]{3,80}$', description: 'The address: `/a/{slug}`' }),
  title: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  isEnabled: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether people who cannot edit the workflow see the app' }),
  ),
  version: Type.Optional(
    Type.Union([Type.Literal('current'), PositiveInteger()], {
      description: 'The version that runs: a number, or `current` (default), which follows the workflow',
    }),
  ),
  inputs: Type.Array(AppInputSchema, { maxItems: 50, description: 'In the order of the form' }),
  outputs: Type.Array(NodeId, {
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    description: 'Node IDs, in the order shown',
  }),
  outputLabels: Type.Optional(
    Type.Record(NodeId, Type.String({ minLength: 1, maxLength: 200 }), {
      maxProperties: MAX_OUTPUTS,
      description: 'Labels of outputs by node ID. Default: its kind, such as Text or Image',
    }),
  ),
  examples: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 6,
      description: 'IDs of completed executions of the workflow, whose inputs and results the page shows',
    }),
  ),
  audience: Type.Optional(
    Type.Enum(AUDIENCES, {
      default: 'workspace',
      description:
        '`workspace`: people with a role in the workflow. `signed_in`: everyone with an account here. `anyone`: everyone with the link',
    }),
  ),
  payer: Type.Optional(
    Type.Enum(APP_PAYERS, {
      default: 'owner',
      description:
        "`owner`: the workspace of the workflow pays. `visitor`: the visitor's active workspace pays; anonymous visitors must sign in to run the app",
    }),
  ),
  maxCreditsPerRun: Type.Optional(
    Nullable(Type.Integer({ ...Credits, description: 'The most that a run may cost; null: no limit' })),
  ),
  dailyCredits: Type.Optional(
    Nullable(
      Type.Integer({
        ...Credits,
        description: 'The most that all runs of a day (UTC) may cost; null: no limit',
      }),
    ),
  ),
  runsPerVisitor: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Runs that a visitor may start in a day (UTC); null: no limit. Default: 3 if `audience` is `anyone`, otherwise null',
      }),
    ),
  ),
  runsPerDay: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          "Runs that all visitors may start in a day (UTC), at most the daily executions of your plan. Editors of the workflow are no visitors. null: half of the plan's daily executions, or 1,000 if the plan has no limit",
      }),
    ),
  ),
  uploadBytesPerDay: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Bytes that all visitors may upload in a day (UTC), at most a fifth of the storage of your plan. null: a tenth of the storage, but at most 1 GB',
      }),
    ),
  ),
  showsGraph: Type.Optional(
    Type.Boolean({ default: false, description: 'Show the diagram of the workflow' }),
  ),
  allowsDuplicate: Type.Optional(
    Type.Boolean({ default: false, description: 'Let visitors who are signed in copy the workflow' }),
  ),
  showsGallery: Type.Optional(
    Type.Boolean({ default: false, description: 'Show the results that you picked for the gallery' }),
  ),
  embedOrigins: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: 20,
      description: 'Origins of the pages that may embed the app, such as `https://example.com`',
    }),
  ),
};

export const AppBody = NamedExact(
  'AppRequest',
  'The settings of an app. Settings that are left out get their default',
  SETTINGS,
);
export type AppBody = Static<typeof AppBody>;

const Issues = Type.Array(
  Type.Object(
    { path: Type.String(), code: Type.String(), message: Type.String() },
    { additionalProperties: true },
  ),
  { description: 'Why the app is out of order; empty if it can run' },
);

export const AppSettingsSchema = Named('AppSettings', 'The app of a workflow', {
  id: Type.String(),
  workflowId: Type.String(),
  url: Type.String({ format: 'uri' }),
  ...SETTINGS,
  dayLimits: Type.Object(
    {
      runs: Type.Integer({ description: 'Runs that visitors may start' }),
      uploadBytes: Type.Integer({ description: 'Bytes that visitors may upload' }),
    },
    { description: 'The limits of a day that apply now, as set or by the plan' },
  ),
  hasEmbedKey: Type.Boolean(),
  userId: Type.Integer({
    description: 'Who saved the app last. Its runs are started with the rights of this user',
  }),
  issues: Issues,
  meta: Warnings,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const AppListItem = Named('AppListItem', 'An app in a list', {
  id: Type.String(),
  slug: Type.String(),
  url: Type.String({ format: 'uri' }),
  title: Type.String(),
  description: Nullable(Type.String()),
  audience: Type.Enum(AUDIENCES),
  payer: Type.Enum(APP_PAYERS),
  isEnabled: Type.Boolean(),
  canEdit: Type.Boolean(),
  workflowId: Type.Optional(Type.String({ description: 'Only for editors of the workflow' })),
  runs: Type.Optional(Type.Integer({ description: 'Runs of the last 30 days, only for editors' })),
  credits: Type.Optional(Type.Integer({ description: 'Credits charged for them, only for editors' })),
  poster: Type.Optional(
    Nullable(Type.String({ description: 'A picture of the workflow, only for editors' })),
  ),
  updatedAt: Timestamp,
});
export const AppPage = PageSchema(AppListItem);

export const ListApps = Type.Object({
  workflowId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only the app of this workflow, if it has one' }),
  ),
  ...PageQuery.properties,
});
export type ListApps = Static<typeof ListApps>;

export const EmbedKey = Named(
  'AppEmbedKey',
  'The key that signs the tokens of visitors. It is shown only once',
  {
    key: Type.String(),
  },
);

export const SlugParams = Type.Object({
  slug: Type.String({ maxLength: 100, description: 'The slug of the app' }),
});
export const AppRunParams = Type.Object({
  ...SlugParams.properties,
  runId: Id('Run ID, `run_…`'),
});

const Value = Type.Object(
  {
    type: Type.String({ description: '`IMAGE`, `VIDEO`, `AUDIO`, `TEXT`, `NUMBER` or `JSON`' }),
    url: Type.Optional(Type.String({ format: 'uri' })),
    posterUrl: Type.Optional(Type.String({ format: 'uri', description: 'A still of a rendered video' })),
    text: Type.Optional(Type.String()),
    value: Type.Optional(Type.Unknown()),
    truncated: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: true },
);
const Outputs = Type.Record(Type.String(), Value, {
  description:
    'By `output_1`, `output_2` and so on: `url` of a file, `text`, or the `value` of a number or of data. A list has the members of its first item, and up to 200 items in `items`. The outputs of a run have at most 4 MB, and in lists 64 kB. A longer value is cut, which turns JSON into text, and has `truncated: true`',
});
const Inputs = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description:
    'By `input_1`, `input_2` and so on, as in the `inputSchema` of the app, or by the name of the input in the workflow. A file is `{ mediaId }`',
});

export const AppView = Named('App', 'An app as its visitors see it', {
  slug: Type.String(),
  url: Type.String({ format: 'uri' }),
  title: Type.String(),
  description: Nullable(Type.String()),
  inputSchema: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'JSON Schema of `inputs`. Its properties are `input_1`, `input_2` and so on',
    },
  ),
  outputs: Type.Array(Type.Object({ key: Type.String(), label: Type.String(), type: Type.String() })),
  examples: Type.Array(
    Type.Object({ inputs: Type.Object({}, { additionalProperties: true }), outputs: Outputs }),
  ),
  limits: Type.Object({
    payer: Type.Enum(APP_PAYERS),
    needsProof: Type.Boolean({ description: 'Whether a run needs a proof of work' }),
    runsPerVisitor: Nullable(Type.Integer({ description: 'Runs in a day (UTC); null: no limit' })),
    runsLeft: Nullable(Type.Integer({ description: 'The number of runs that you can still start today' })),
  }),
  isOutOfOrder: Type.Boolean(),
  hasGallery: Type.Boolean(),
});

export const RunAppBody = NamedExact('AppRunRequest', 'The inputs of a run of an app', {
  inputs: Inputs,
  proof: Type.Optional(
    Type.String({ maxLength: 2000, description: 'The solution of a challenge, for anonymous visitors' }),
  ),
  maxCredits: Type.Optional(
    Type.Integer({ ...Credits, description: 'If your workspace pays: the most that the run may cost' }),
  ),
});

export const EstimateAppBody = NamedExact('AppEstimateRequest', 'The inputs of a run of an app', {
  inputs: Inputs,
});
export const AppEstimate = Named('AppEstimate', 'What a run would cost your workspace', {
  credits: Type.Integer(),
  exact: Type.Boolean({ description: 'False: the run may cost less' }),
  availableCredits: Type.Integer(),
});

const Urls = Type.Object({
  self: Type.String({ format: 'uri' }),
  events: Type.String({ format: 'uri' }),
  cancel: Type.String({ format: 'uri' }),
  page: Type.String({ format: 'uri' }),
});
export const AcceptedAppRun = Named('AcceptedAppRun', 'A run of an app that was accepted', {
  runId: Type.String(),
  urls: Urls,
});

const APP_RUN_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type AppRunStatus = (typeof APP_RUN_STATUSES)[number];

const RunError = Nullable(Type.Object({ code: Type.String(), message: Type.String() }));
export const AppRun = Named('AppRun', 'A run of an app. Whoever has its id can read it until it expires', {
  runId: Type.String(),
  status: Type.Enum(APP_RUN_STATUSES),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  outputs: Outputs,
  error: RunError,
  inGallery: Type.Boolean(),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  page: Type.String({ format: 'uri' }),
});

export const AppRunEvents = EventStreamSchema('AppRunEvent', 'An event of a run of an app', {
  run: Named('AppRunChangeEvent', 'The event `run`', { event: Type.Literal('run'), data: AppRun }),
});

export const GalleryBody = Exact({ inGallery: Type.Boolean() });

const AppResult = Named('AppResult', 'A result in the gallery of an app', {
  runId: Type.String(),
  outputs: Outputs,
  createdAt: Timestamp,
  page: Type.String({ format: 'uri' }),
});
export const AppResultPage = PageSchema(AppResult);

export const AppChallenge = Named('AppChallenge', 'A challenge in the format of ALTCHA', {
  algorithm: Type.String(),
  challenge: Type.String(),
  maxnumber: Type.Optional(Type.Integer()),
  salt: Type.String(),
  signature: Type.String(),
});

export const AppUpload = Named('AppUpload', 'A file for runs of the app', {
  mediaId: Type.String(),
  url: Type.String({ format: 'uri' }),
  contentType: Type.String(),
  expiresAt: Timestamp,
});
