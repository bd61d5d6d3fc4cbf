// Defines the schemas of requests and responses about API keys.
import { Type } from 'typebox';
import { PageSchema } from '../paging.ts';
import { Exact, IdParams, Named, NamedExact, Nullable, Timestamp } from '../schema.ts';
import { SCOPES } from './actor.ts';
import { MonthlyCredits, SpenderMonth } from './monthly-limit.schema.ts';
import { Name } from './names.ts';

const Scope = Type.Enum(SCOPES);

export const KeyParams = IdParams('Key ID, `key_…`');

export const CreateKeyBody = NamedExact('KeyInput', 'The key to create', {
  name: Name,
  scopes: Type.Array(Scope, { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
  expiresAt: Type.Optional(
    Nullable(
      Type.String({ maxLength: 40, description: 'ISO 8601; null or absent for a key that does not expire' }),
    ),
  ),
  monthlyCredits: Type.Optional(MonthlyCredits),
});

export const ChangeKeyBody = Exact(
  { name: Type.Optional(Name), monthlyCredits: Type.Optional(MonthlyCredits) },
  { minProperties: 1 },
);

export const Key = Named('Key', 'An API key without its secret', {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Scope),
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  ...SpenderMonth,
  createdAt: Timestamp,
});
export const KeyPage = PageSchema(Key);
export const CreatedKey = Named('CreatedKey', 'A new key, shown only once', {
  ...Key.properties,
  key: Type.String({ description: 'Shown once' }),
});
