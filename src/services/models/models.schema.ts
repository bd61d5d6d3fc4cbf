// The form of the operator's models over HTTP.
import { Type } from 'typebox';
import { LISTING_PROVIDERS } from '../../nodes/models/listing/listing.ts';
import { Exact, Nullable } from '../schema.ts';

const Revision = Type.String({ maxLength: 100, description: 'Of the state that the models were read in' });

export const InstalledModelsAnswer = Type.Object({
  revision: Revision,
  models: Type.Array(Type.Object({}, { additionalProperties: true })),
  problems: Type.Array(Type.String({ description: 'Why a stored model is left out' })),
});

export const WriteModelsBody = Exact({
  revision: Revision,
  models: Type.Array(Type.Object({}, { additionalProperties: true }), {
    maxItems: 5_000,
    description:
      'Added, or put in place of those of the same nodeType; a model is described in docs/models.md',
  }),
});

const Provider = Type.Union(
  LISTING_PROVIDERS.map(name => Type.Literal(name)),
  { description: 'Whose list is read' },
);

export const OffersQuery = Type.Object({
  provider: Provider,
  query: Type.Optional(Type.String({ maxLength: 200, description: 'Words of its name' })),
});

export const OffersAnswer = Type.Object({
  offers: Type.Array(
    Type.Object({
      endpoint: Type.String({ description: 'Its address at the provider' }),
      label: Type.String(),
      category: Nullable(Type.String()),
      nodeType: Nullable(Type.String({ description: 'The node that runs it here' })),
    }),
  ),
  isCut: Type.Boolean({ description: 'There are more than are shown' }),
});

export const PlanModelsBody = Exact({
  provider: Provider,
  endpoints: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      minItems: 1,
      maxItems: 100,
      description: 'The models to add; absent: those in use are compared with the list',
    }),
  ),
});

export const ModelPlanAnswer = Type.Object({
  revision: Revision,
  compared: Type.Integer({ description: 'How many models in use were compared' }),
  isLarge: Type.Boolean({ description: 'More than a fifth of them would change: look at it first' }),
  changes: Type.Array(
    Type.Object({
      kind: Type.Union(['new', 'changed', 'gone', 'unusable'].map(kind => Type.Literal(kind))),
      nodeType: Type.String({ description: 'Empty where no node can be made of it' }),
      endpoint: Type.String(),
      changes: Type.Array(Type.Object({ kind: Type.String(), what: Type.String() })),
      model: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
  ),
});
