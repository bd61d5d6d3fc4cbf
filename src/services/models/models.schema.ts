// Defines the schemas of requests and responses about the installed models.
import { Type } from 'typebox';
import { LISTING_PROVIDERS } from '../../nodes/models/listing/listing.ts';
import { Exact, Nullable } from '../schema.ts';

const Revision = Type.String({ maxLength: 100, description: 'Revision at which the models were read' });

export const InstalledModelsResponse = Type.Object({
  revision: Revision,
  models: Type.Array(Type.Object({}, { additionalProperties: true })),
  problems: Type.Array(Type.String({ description: 'Why stored models are not in use' })),
});

export const WriteModelsBody = Exact({
  revision: Revision,
  models: Type.Array(Type.Object({}, { additionalProperties: true }), {
    maxItems: 5_000,
    description:
      'Models to add, or to replace those of the same nodeType; docs/models.md describes the format',
  }),
});

const Provider = Type.Enum(LISTING_PROVIDERS, { description: 'The provider whose list is read' });

export const OffersQuery = Type.Object({
  provider: Provider,
  query: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the name' })),
});

export const OffersResponse = Type.Object({
  offers: Type.Array(
    Type.Object({
      endpoint: Type.String({ description: 'Endpoint at the provider' }),
      label: Type.String(),
      category: Nullable(Type.String()),
      nodeType: Nullable(Type.String({ description: 'The node type that runs it in this service' })),
    }),
  ),
  isCut: Type.Boolean({ description: 'Whether more models match than are listed' }),
});

export const PlanModelsBody = Exact({
  provider: Provider,
  endpoints: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      minItems: 1,
      maxItems: 100,
      description: 'The models to add. Default: compare the models in use with the list',
    }),
  ),
});

export const ModelPlanResponse = Type.Object({
  revision: Revision,
  compared: Type.Integer({ description: 'Number of models in use that were compared' }),
  isLarge: Type.Boolean({
    description: 'Whether more than a fifth of them would change; review the plan first',
  }),
  changes: Type.Array(
    Type.Object({
      kind: Type.Enum(['new', 'changed', 'gone', 'unusable']),
      nodeType: Type.String({ description: 'Empty if the model cannot become a node' }),
      endpoint: Type.String(),
      changes: Type.Array(Type.Object({ kind: Type.String(), what: Type.String() })),
      model: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
  ),
});
