// The forms of requests and answers about API keys.
import { Type } from 'typebox';
import { pageOf } from '../paging.ts';
import { Answer, Named, Nullable, Timestamp } from '../workflows/workflow.schema.ts';
import { SCOPES } from './actor.ts';
import { Name } from './names.ts';

const Scope = Type.Enum([...SCOPES]);

export const KeyParams = Type.Object({ id: Type.String({ maxLength: 64, description: 'Key id, `key_…`' }) });

export const CreateKeyBody = Named(
  'KeyInput',
  Type.Object(
    {
      name: Name,
      scopes: Type.Array(Scope, { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
      expiresAt: Type.Optional(
        Nullable(Type.String({ maxLength: 40, description: 'ISO 8601; null or absent: never' })),
      ),
    },
    { additionalProperties: false },
  ),
  'The key to make',
);

export const ChangeKeyBody = Type.Object({ name: Name }, { additionalProperties: false });

const KeyObject = Named(
  'Key',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Scope),
    expiresAt: Nullable(Timestamp),
    lastUsedAt: Nullable(Timestamp),
    createdAt: Timestamp,
  }),
  'What is known of an API key',
);
export const Key = Answer(KeyObject);
export const KeyPage = Answer(pageOf(KeyObject));
export const CreatedKey = Answer(
  Named(
    'CreatedKey',
    Type.Object({ ...KeyObject.properties, key: Type.String({ description: 'Shown this once' }) }),
    'A new key; it is shown this once',
  ),
);
