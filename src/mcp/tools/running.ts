// Defines the tools that start, follow and cancel runs.
import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { AcceptedRun } from '../../runs/accept/accepted-run.ts';
import { startRun } from '../../runs/accept/start-run.ts';
import { cancelRun } from '../../runs/end/cancel-run.ts';
import { estimateWorkflow } from '../../runs/estimate/estimate-run.ts';
import type { RunRequest } from '../../runs/prepare/run.schema.ts';
import { countExecution, countStart, uncountExecution } from '../../services/accounts/execution-limits.ts';
import { Exact } from '../../services/schema.ts';
import { EXECUTION_OUTPUT, presentForAgent, TOO_LONG_HINT } from '../present-execution.ts';
import { defineTool, Id, READ_HINTS, type ToolContext } from '../tool.ts';
import { waitForRun } from '../waits.ts';
import { RUN_INPUTS, TARGETS } from './arguments.ts';

const DEFAULT_WAIT_SECONDS = 45;
const WAIT_SECONDS = Type.Optional(Type.Integer({ minimum: 0, maximum: 240 }));

const START_INPUT = Exact({
  workflowId: Id(),
  inputs: RUN_INPUTS,
  targets: TARGETS,
  maxCredits: Type.Optional(Type.Integer({ minimum: 0 })),
  idempotencyKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x20-\\x7e]*$',
      description: 'Send the same key to retry safely',
    }),
  ),
  waitSeconds: WAIT_SECONDS,
});

export const runWorkflowTool = defineTool({
  name: 'run_workflow',
  title: 'Run workflow',
  description:
    'Start a run and wait for it (45 s by default). A run that costs credits requires maxCredits, its maximum cost: agree on it with the user.',
  scope: 'workflows:execute',
  hints: { destructiveHint: false, openWorldHint: true },
  input: START_INPUT,
  output: EXECUTION_OUTPUT,
  exactNumberArguments: ['inputs'],
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { waitSeconds = DEFAULT_WAIT_SECONDS, ...input }) => {
    const { executionId } = await start(ctx, input);
    const record = await waitForRun(ctx, executionId, waitSeconds);
    return presentForAgent(ctx, record, { previews: true });
  },
});

export const getExecutionTool = defineTool({
  name: 'get_execution',
  title: 'Read execution',
  description: 'Returns the state and results of a run. With waitSeconds, waits until it has ended.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({ executionId: Id(), waitSeconds: WAIT_SECONDS, previews: Type.Optional(Type.Boolean()) }),
  output: EXECUTION_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { executionId, waitSeconds = 0, previews = true }) =>
    presentForAgent(ctx, await waitForRun(ctx, executionId, waitSeconds), { previews }),
});

export const cancelExecutionTool = defineTool({
  name: 'cancel_execution',
  title: 'Cancel execution',
  description: 'Stop a run. Completed work is kept and charged.',
  scope: 'workflows:execute',
  hints: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: Exact({ executionId: Id() }),
  output: EXECUTION_OUTPUT,
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { executionId }) =>
    presentForAgent(ctx, await cancelRun(ctx.deps, ctx.actor, executionId), { previews: false }),
});

/** Starts a run, and counts it toward the limits per minute and per day, as over REST. */
async function start(
  ctx: ToolContext,
  input: Omit<Static<typeof START_INPUT>, 'waitSeconds'>,
): Promise<AcceptedRun> {
  const { deps, actor } = ctx;
  const { workflowId, idempotencyKey, inputs, ...options } = input;
  const request: RunRequest = {
    ...options,
    ...(inputs === undefined ? {} : { inputs: JsonText.of(inputs as JsonObject) }),
  };
  if (options.maxCredits === undefined) await requireFree(ctx, workflowId, request);
  await countStart(deps, actor);
  const allowance = await countExecution(deps, actor);
  try {
    const run = { workflowId, idempotencyScope: 'run', request, idempotencyKey, trigger: 'mcp' } as const;
    const accepted = await startRun(deps, actor, run);
    if (accepted.replayed) uncountExecution(deps, actor, allowance);
    return accepted;
  } catch (err) {
    // An internal error may have started a run, so it stays counted.
    if (err instanceof AppError && err.status < 500) uncountExecution(deps, actor, allowance);
    throw err;
  }
}

/** Throws 402 with the price if the run costs credits, so that no credits are spent without agreement. */
async function requireFree(
  { deps, actor }: ToolContext,
  workflowId: string,
  request: RunRequest,
): Promise<void> {
  const { credits, exact: isExact, breakdown } = await estimateWorkflow(deps, actor, { workflowId, request });
  if (breakdown.length === 0) return;
  const price = isExact
    ? `${credits} credits`
    : `at least ${credits} credits, depending on the inputs of its nodes`;
  throw new AppError(
    'max_credits_exceeded',
    `This run costs ${price}. Ask the user, then send the agreed amount as maxCredits.`,
    { details: { requiredCredits: credits, exact: isExact, breakdown } },
  );
}
