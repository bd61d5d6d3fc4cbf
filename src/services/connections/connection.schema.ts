// Response schemas of agents' connections.
import { Type } from 'typebox';
import { AGENT_SCOPES } from '../accounts/agent-caller.ts';
import { PageSchema } from '../paging.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

export const ConnectionParams = Type.Object({
  id: Type.String({ maxLength: 64, description: 'Connection ID, `con_…`' }),
});

export const ConnectionPage = PageSchema(
  Named('Connection', 'A program that you granted access by OAuth', {
    id: Type.String(),
    clientId: Type.String({
      description: 'The client ID, or the URL of the client metadata document',
    }),
    clientName: Type.String({ description: 'The name that the client gives itself' }),
    redirectHost: Type.String({ description: 'Host of the redirect address' }),
    scopes: Type.Array(Type.Enum(AGENT_SCOPES)),
    createdAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  }),
);
