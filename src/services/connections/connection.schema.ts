// Response schemas of agents' connections.
import { Type } from 'typebox';
import { AGENT_SCOPES } from '../accounts/agent-caller.ts';
import { pageOf } from '../paging.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

export const ConnectionParams = Type.Object({
  id: Type.String({ maxLength: 64, description: 'Connection id, `con_…`' }),
});

export const ConnectionPage = pageOf(
  Named('Connection', 'A program that you let in by OAuth', {
    id: Type.String(),
    clientId: Type.String({
      description: 'What the program is registered as, or the address of its document',
    }),
    clientName: Type.String({ description: 'As the program calls itself' }),
    redirectHost: Type.String({ description: 'Where it was answered' }),
    scopes: Type.Array(Type.Enum(AGENT_SCOPES)),
    createdAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  }),
);
