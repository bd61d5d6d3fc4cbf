// Defines the schemas of the SCIM token.
import { Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../schema.ts';

const TOKEN = {
  url: Type.String({ description: 'The base URL that the identity provider calls' }),
  lastUsedAt: Nullable(Timestamp),
};

export const ScimToken = Named('ScimToken', 'When the SCIM token was created and used', {
  ...TOKEN,
  createdAt: Nullable(Timestamp),
});
export const CreatedScimToken = Named('CreatedScimToken', 'A new SCIM token', {
  token: Type.String({ description: 'Shown once' }),
  ...TOKEN,
  createdAt: Timestamp,
});
