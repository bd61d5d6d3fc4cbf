// Defines the schemas of components: their interface, and the workflows that call them.
import { type Static, Type } from 'typebox';
import { PORT_TYPES } from '../../graph/types.ts';
import { PageSchema } from '../paging.ts';
import { Exact, Named, Nullable, PositiveInteger } from '../schema.ts';

const PORT = {
  id: Type.String({ description: 'ID of its node in the component' }),
  label: Type.String(),
  type: Type.Enum(PORT_TYPES),
  required: Type.Optional(
    Type.Literal(true, {
      description: 'An input that has no file of its own, so that a call must provide one',
    }),
  ),
};
const Port = Named('ComponentPort', 'A port of a component', PORT);
const InputPort = Named('ComponentInput', 'An input of a component', {
  ...PORT,
  name: Type.String({ description: 'The name by which runs of the workflow set it, beside the node ID' }),
});

export const Interface = Named('ComponentInterface', 'The ports of a workflow as a component', {
  workflowId: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  inputs: Type.Array(InputPort),
  outputs: Type.Array(Port),
});

export const InterfaceQuery = Type.Object({
  version: Type.Optional(
    PositiveInteger({
      description: 'Default: the current version. Visitors of a publication read only the published one',
    }),
  ),
});

const PinnedVersion = Type.Union([PositiveInteger(), Type.Literal('latest')], {
  description: 'A pinned version, or `latest`',
});

const Hidden = Type.Integer({
  description: 'The number of other callers, which you cannot read; at most 10,000',
});

const CallerPageBase = PageSchema(
  Named('ComponentCallerListItem', 'A workflow that calls the component', {
    workflowId: Type.String(),
    name: Type.String(),
    version: PinnedVersion,
    nodeIds: Type.Array(Type.String(), { description: 'The nodes with this version; at most 100' }),
    canEdit: Type.Boolean(),
  }),
);
export const CallerPage = Type.Object(
  { ...CallerPageBase.properties, hidden: Hidden },
  { title: 'ComponentCallerPage', description: 'One page of a list' },
);

export const UpdateCallersBody = Exact({
  version: PinnedVersion,
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'True to check the updates without storing them' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 200, description: 'The `nextCursor` of the previous response' }),
  ),
});
export type UpdateCallersBody = Static<typeof UpdateCallersBody>;

export const OUTCOMES = ['updated', 'unchanged', 'refused'] as const;

const LostPort = Named('LostPort', 'A port that the caller uses and the new version does not have', {
  nodeId: Type.String({ description: 'The node of the caller' }),
  id: Type.String(),
  label: Type.String(),
  direction: Type.Enum(['input', 'output']),
  reason: Type.Enum(['removed', 'type_changed']),
  use: Type.Enum(['edge', 'value'], { description: 'What the caller would lose' }),
});

export const UpdatedCallers = Named('UpdatedCallers', 'The outcome for each caller', {
  data: Type.Array(
    Named('UpdatedCaller', 'The outcome for a caller', {
      workflowId: Type.String(),
      name: Type.String(),
      outcome: Type.Enum(OUTCOMES, { description: 'With `dryRun`, `updated` means that it can be updated' }),
      issues: Type.Optional(
        Type.Array(
          Type.Object({
            code: Type.String(),
            message: Type.String(),
            nodeId: Type.Optional(Type.String()),
          }),
          { description: 'Why it was refused' },
        ),
      ),
      lostPorts: Type.Array(LostPort),
    }),
  ),
  hidden: Hidden,
  nextCursor: Nullable(Type.String({ description: 'Send it as `cursor` to continue' })),
});
