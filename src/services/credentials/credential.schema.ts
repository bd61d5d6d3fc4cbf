// Defines the schemas of requests and responses about credentials for model providers.
import { type Static, Type } from 'typebox';
import { SERVER_NAME } from '../../lib/setting-values.ts';
import { MAX_LISTED_MODELS } from '../../nodes/models/server-routes.ts';
import { PROVIDER_NAMES, SERVER_ROUTES } from '../../providers/names.ts';
import { CREDENTIAL_STATUSES } from '../../store/credentials.ts';
import { Name } from '../accounts/names.ts';
import { ComfyServer } from '../comfyui/server.schema.ts';
import { PageQuery, PageSchema } from '../paging.ts';
import { Exact, IdParams, Named, NamedExact, Nullable, Timestamp } from '../schema.ts';

const Kind = Type.Enum(PROVIDER_NAMES, { description: 'The provider' });
const OWNERS = ['instance', 'workspace'] as const;
const Owner = Type.Enum(OWNERS, {
  description: '`instance`: for everyone here, managed by administrators. `workspace`: for one workspace',
});
const TeamId = Type.String({
  maxLength: 64,
  description: 'The team whose credential it is, or `user:…` for your own. Default: your active workspace',
});

const Values = NamedExact('CredentialValues', 'What to send to the provider. Never returned', {
  apiKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        'Required, except for ComfyUI and OpenAI-compatible servers. For ComfyUI: the value of the Authorization header, or another header as `Name: value`',
    }),
  ),
  baseUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "The address, if it is not the provider's own. Required for ComfyUI",
    }),
  ),
  partnerKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Only for ComfyUI: the key of a comfy.org account, for nodes that call external models',
    }),
  ),
});

const DailyUsdLimit = Nullable(
  Type.Number({
    minimum: 0,
    maximum: 1_000_000,
    description: 'The most that its calls may cost in a day (UTC), in USD; null: unlimited',
  }),
);
const IsDefault = Type.Boolean({
  description:
    "Whether the owner's workflows use it if they select no other credential. Default: true for the first of its kind without `server`",
});

const Server = Type.String({
  pattern: SERVER_NAME.source,
  description:
    'Only for `openai`: the name by which nodes choose this server, unique for its owner. Lower-case letters, digits and hyphens',
});
const Serves = Type.Array(Type.Enum(SERVER_ROUTES), {
  maxItems: SERVER_ROUTES.length,
  description:
    'Only for `openai`: what the server serves. Nodes offer only servers that serve what they need',
});

const Pool = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Only for `comfyui`: the pool of the server. Default: `default`',
});
const MaxConcurrent = Type.Integer({
  minimum: 1,
  maximum: 64,
  description: 'Only for `comfyui`: the most calls that the server gets at the same time. Default: 1',
});
const IsDraining = Type.Boolean({ description: 'Only for `comfyui`: whether the server gets no new calls' });

export const CreateCredentialBody = NamedExact('CredentialInput', 'The credential to store', {
  kind: Kind,
  name: Name,
  owner: Owner,
  values: Values,
  teamId: Type.Optional(TeamId),
  isDefault: Type.Optional(IsDefault),
  dailyUsdLimit: Type.Optional(DailyUsdLimit),
  server: Type.Optional(Server),
  serves: Type.Optional(Nullable(Serves)),
  pool: Type.Optional(Pool),
  maxConcurrent: Type.Optional(MaxConcurrent),
});
export type CreateCredentialBody = Static<typeof CreateCredentialBody>;
export type OwnerType = CreateCredentialBody['owner'];

export const ChangeCredentialBody = Exact({
  name: Type.Optional(Name),
  values: Type.Optional(Values),
  isDefault: Type.Optional(IsDefault),
  dailyUsdLimit: Type.Optional(DailyUsdLimit),
  serves: Type.Optional(Nullable(Serves)),
  pool: Type.Optional(Pool),
  maxConcurrent: Type.Optional(MaxConcurrent),
  isDraining: Type.Optional(IsDraining),
});
export type ChangeCredentialBody = Static<typeof ChangeCredentialBody>;

export const TestCredentialBody = NamedExact('CredentialTestInput', 'The values to test', {
  kind: Kind,
  values: Values,
  owner: Type.Optional(Owner),
  server: Type.Optional(Server),
});
export type TestCredentialBody = Static<typeof TestCredentialBody>;

export const CredentialTest = Named('CredentialTest', 'How the provider responded to a free request', {
  ok: Type.Boolean(),
  latencyMs: Type.Integer(),
  account: Type.Optional(Type.String({ description: 'The name of the account at the provider' })),
  error: Type.Optional(Type.String({ description: 'Why the credential cannot be used' })),
  serves: Type.Optional(Serves),
  models: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_LISTED_MODELS,
      description: `Only for \`openai\`: the first ${MAX_LISTED_MODELS} models that the server lists`,
    }),
  ),
});

export const CredentialParams = IdParams('Credential ID, `cred_…`');

export const RemoveCredentialQuery = Type.Object({
  force: Type.Optional(Type.Enum(['true', 'false'], { description: 'true: delete it even if it is in use' })),
});

export const ListCredentialsQuery = Type.Object({
  ...PageQuery.properties,
  owner: Type.Optional(
    Type.Enum(OWNERS, {
      description: '`instance` requires the scope `instance:admin`. Default: `workspace`',
    }),
  ),
  teamId: Type.Optional(TeamId),
  kind: Type.Optional(Kind),
});
export type ListCredentialsQuery = Static<typeof ListCredentialsQuery>;

export const Credential = Named('Credential', 'A credential for a model provider, without its values', {
  id: Type.String(),
  kind: Kind,
  name: Type.String(),
  owner: Owner,
  teamId: Nullable(
    Type.String({ description: 'The team that owns it; null if it belongs to the instance or a person' }),
  ),
  isDefault: Type.Boolean(),
  dailyUsdLimit: DailyUsdLimit,
  status: Type.Enum(CREDENTIAL_STATUSES, {
    description: '`failed`: the provider rejected the key at the last test or call',
  }),
  error: Nullable(Type.String({ description: 'Why the status is `failed`' })),
  lastTestedAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  hint: Nullable(
    Type.String({
      description:
        'The last four characters of the key; null for a short key, and for readers who cannot change it',
    }),
  ),
  source: Type.Enum(['stored', 'environment'], {
    description: '`environment`: set by the settings of the service and not changeable here',
  }),
  server: Type.Union(
    [
      Type.String({ description: 'For `openai`: the name by which nodes choose this server' }),
      ComfyServer,
      Type.Null(),
    ],
    { description: 'For `comfyui`: the state of the server' },
  ),
  serves: Nullable(Serves),
  pool: Type.Optional(Pool),
  maxConcurrent: Type.Optional(MaxConcurrent),
  isDraining: Type.Optional(IsDraining),
  createdAt: Nullable(Timestamp),
  updatedAt: Nullable(Timestamp),
  createdBy: Nullable(Type.Integer({ description: 'The user who stored it' })),
});
export const CredentialPage = PageSchema(Credential);
