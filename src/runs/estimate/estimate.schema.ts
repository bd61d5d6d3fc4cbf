// Defines the request and response schemas of estimates.
import { Type } from 'typebox';
import { PAID_BY } from '../../providers/credential.ts';
import { Named, NamedExact, Nullable } from '../../services/schema.ts';
import { ExecuteBody } from '../prepare/run.schema.ts';

const { inputs, config, targets, keep, pins, useSample } = ExecuteBody.properties;

/** Who pays for calls. */
const PaidFields = {
  paidBy: Type.Enum(PAID_BY, {
    description: "`credential`: billed to the workspace's own credential, for 0 credits",
  }),
  credentialId: Nullable(Type.String()),
  costUsd: Nullable(Type.Number({ description: 'Cost in USD; null if it is unknown' })),
};

export const EstimateBody = NamedExact('EstimateRequest', 'The run to estimate', {
  inputs,
  config,
  targets,
  keep,
  pins,
  useSample,
});

export const RunEstimate = Named('RunEstimate', 'What a run would cost', {
  credits: Type.Integer(),
  costUsd: Type.Number(),
  exact: Type.Boolean({
    description: 'False if a price, or the length of a list, is known only at run time',
  }),
  breakdown: Type.Array(
    Type.Object({
      nodeId: Type.String(),
      nodeLabel: Type.String(),
      credits: Type.Integer(),
      cached: Type.Boolean(),
      ...PaidFields,
    }),
  ),
  kept: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'With keep or pins: the nodes whose results come from an earlier run, except sample results',
    }),
  ),
  sampled: Type.Optional(
    Type.Array(Type.String(), { description: 'The nodes that take their sample result' }),
  ),
  hasSample: Type.Optional(
    Type.Boolean({ description: 'true: a provider is missing, and useSample could take its place' }),
  ),
  needs: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Providers that nodes of the run need and that are not set up',
    }),
  ),
  availableCredits: Type.Integer({
    description: 'The balance, or what is left of your monthly limit if that is less',
  }),
  issues: Type.Array(Type.Object({ nodeId: Type.String(), code: Type.String(), message: Type.String() }), {
    description: 'Reasons why a node could not run, for example a provider that is not configured',
  }),
  meta: Type.Optional(Type.Object({ warnings: Type.Array(Type.String()) })),
});
