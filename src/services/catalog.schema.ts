// Defines the request and response schemas of the catalog.
import { type Static, Type } from 'typebox';
import { MODEL_TASKS, NODE_SOURCES } from '../graph/catalog.ts';
import { CATEGORIES, FIELD_TYPES, PORT_TYPES } from '../graph/types.ts';
import { Exact, Named, Nullable } from './schema.ts';

const LISTED_CATEGORIES = [...CATEGORIES, 'video'] as const;

export const CatalogQuery = Type.Object({
  category: Type.Optional(Type.Enum(LISTED_CATEGORIES, { description: 'Only this category' })),
  source: Type.Optional(Type.Enum(NODE_SOURCES, { description: 'Only this source' })),
  includeHidden: Type.Optional(
    Type.Enum(['0', '1', 'true', 'false'], { description: '1 or true includes hidden node types' }),
  ),
});
export type CatalogQuery = Static<typeof CatalogQuery>;

const PORT = {
  id: Type.String({ description: 'Edges refer to it as `in-<id>` or `out-<id>`' }),
  label: Type.String(),
  type: Type.Enum(PORT_TYPES),
  isPort: Type.Boolean({
    description: 'True for a port that edges connect to, false for a field of `data.config`',
  }),
};

const Entry = Named('CatalogEntry', 'A node type', {
  nodeType: Type.String({ description: '`family:name`' }),
  label: Type.String(),
  category: Type.Enum(LISTED_CATEGORIES),
  description: Type.Optional(Type.String()),
  source: Type.Enum(NODE_SOURCES),
  inputs: Type.Array(
    Named('CatalogInput', 'A port or a config field', {
      ...PORT,
      type: Type.Enum(FIELD_TYPES),
      required: Type.Optional(Type.Boolean()),
      default: Type.Optional(Type.Unknown()),
      enum: Type.Optional(Type.Array(Type.String())),
      min: Type.Optional(Type.Number()),
      max: Type.Optional(Type.Number()),
      integer: Type.Optional(Type.Boolean({ description: 'Whether only integers are allowed' })),
      step: Type.Optional(
        Type.Number({ description: 'Step between valid values, counted from `min`, or from 0' }),
      ),
      itemType: Type.Optional(Type.Enum(PORT_TYPES, { description: 'For a LIST: the type of its items' })),
      minItems: Type.Optional(Type.Integer()),
      maxItems: Type.Optional(Type.Integer()),
      nullable: Type.Optional(
        Type.Boolean({ description: 'Whether null is a value that means none, instead of the default' }),
      ),
      isInternal: Type.Optional(
        Type.Boolean({ description: 'Whether only the service or an import writes it' }),
      ),
      isPrimary: Type.Optional(
        Type.Boolean({
          description:
            'Whether an editor shows it on the node. If no input is primary, the first text field is shown',
        }),
      ),
      description: Type.Optional(Type.String()),
    }),
  ),
  outputs: Type.Array(Named('CatalogOutput', 'An output port', PORT)),
  executionCost: Type.Enum(['free', 'paid']),
  pricingModel: Type.Enum(['free', 'flat-usd', 'per-second', 'video-tokens', 'per-image', 'unknown']),
  estimatedCredits: Nullable(
    Type.Integer({
      description: 'Credits for a run with the default config; null if unknown before the run',
    }),
  ),
  costUsd: Type.Optional(Type.Number()),
  priceSource: Type.Optional(Type.String({ description: 'Where the price was read, and when' })),
  runsLocally: Type.Optional(
    Type.Literal(true, {
      description: 'Runs a model or library on the machine of the service, without network',
    }),
  ),
  license: Type.Optional(
    Type.String({
      description:
        'The license of the model or library, such as `MIT`. For a model of a provider: of its published weights, if known; the terms of the provider apply to calls',
    }),
  ),
  origin: Type.Optional(
    Type.String({ description: 'With `runsLocally`: the URL where the model or library comes from' }),
  ),
  customNodeType: Type.Optional(Type.String({ description: 'The `type` that the node must have' })),
  dynamicPorts: Type.Optional(Type.Literal(true)),
  dynamicPortsNote: Type.Optional(Type.String()),
  deprecated: Type.Optional(Type.Literal(true)),
  hidden: Type.Optional(Type.Literal(true, { description: 'Listed only with `includeHidden=1`' })),
  isAvailable: Type.Optional(
    Type.Literal(false, {
      description: 'False if its provider or a program that it needs is not configured; running it fails',
    }),
  ),
  provider: Type.Optional(
    Type.String({ description: 'If `isAvailable` is false: the provider that needs a key, such as `fal`' }),
  ),
  policyReason: Type.Optional(
    Type.String({ description: 'If the policy of the active team does not allow it: why' }),
  ),
  task: Type.Optional(
    Type.Enum(MODEL_TASKS, {
      description:
        'For a model, also one that runs on this machine: what it is for. The type of its output says of which medium the result is',
    }),
  ),
  family: Type.Optional(
    Type.String({
      description: 'For a model: the name that it shares with its other versions, such as `Veo`',
    }),
  ),
  medianSeconds: Type.Optional(
    Nullable(
      Type.Number({
        description:
          'For a model: the seconds that its recent calls took, as a moving average of medians; null if none was measured',
      }),
    ),
  ),
});

export const ModelPricesBody = Exact({
  models: Type.Array(
    Exact({
      nodeType: Type.String({ maxLength: 200 }),
      config: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'Settings; others have their default' }),
      ),
    }),
    { minItems: 1, maxItems: 500, description: 'Models with the settings to price' },
  ),
});

export const ModelPrices = Named('ModelPrices', 'The prices of models with given settings', {
  prices: Type.Array(
    Type.Object({
      nodeType: Type.String(),
      credits: Nullable(
        Type.Integer({ description: 'Credits for one call; null if unknown before the call' }),
      ),
    }),
    { description: 'In the order of the request' },
  ),
});

const HEAD = {
  version: Type.Integer(),
  generatedAt: Type.String({ format: 'date-time' }),
  count: Type.Integer(),
};

export const CATALOG_RESPONSES = {
  nodes: Named('Catalog', 'Every node type', { ...HEAD, nodes: Type.Array(Entry) }),
  models: Named('ModelCatalog', 'Every node type that is a model', { ...HEAD, models: Type.Array(Entry) }),
} as const;
