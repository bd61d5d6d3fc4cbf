// Defines the status of a ComfyUI server in responses.
import { type Static, Type } from 'typebox';
import { SERVER_STATUSES, type ServerRow } from '../../store/comfyui-servers.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

const Bytes = Nullable(Type.Integer({ minimum: 0 }));

export const ComfyServer = Named('ComfyServer', 'What the service knows about a ComfyUI server', {
  status: Type.Enum(SERVER_STATUSES, {
    description: '`down`: no answer for 30 seconds. `unknown`: never answered',
  }),
  checkedAt: Nullable(Timestamp),
  version: Nullable(Type.String()),
  devices: Type.Array(Type.Object({ name: Type.String(), vramTotal: Bytes, vramFree: Bytes }), {
    description: 'With the memory in bytes',
  }),
  running: Type.Integer({ description: 'Prompts that run there, also of others' }),
  waiting: Type.Integer({ description: 'Prompts that wait there' }),
  nodeTypes: Type.Integer({ description: 'The number of node types' }),
  error: Nullable(
    Type.String({ description: 'Why the last check failed, or why its node types are not known' }),
  ),
});

export type ComfyServer = Static<typeof ComfyServer>;

/** Presents the server. It is unknown if it was not checked yet. */
export const presentServer = (row: ServerRow | undefined): ComfyServer => ({
  status: row?.status ?? 'unknown',
  checkedAt: row?.checked_at?.toISOString() ?? null,
  version: row?.version ?? null,
  devices: (row?.devices ?? []).map(device => ({ ...device })),
  running: row?.running ?? 0,
  waiting: row?.waiting ?? 0,
  nodeTypes: row?.node_types ?? 0,
  error: row?.error ?? row?.facts_error ?? null,
});
