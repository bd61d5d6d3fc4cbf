// Defines the tools that find and run apps: workflows offered as forms.
import { Type } from 'typebox';
import { readAppView } from '../../apps/app-view.ts';
import { listAppPage } from '../../apps/settings.ts';
import { runApp } from '../../apps/start-app-run.ts';
import { type PresentedAppRun, watchAppRun } from '../../apps/visitor-runs.ts';
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { Exact } from '../../services/schema.ts';
import { AnyObject, Cursor, defineTool, Id, OutputSchema, READ_HINTS, type ToolContext } from '../tool.ts';

const TOO_LONG_HINT = 'Read the page of the run for complete values.';
const WAIT_SECONDS = 45;

/** Limits by network apply only to anonymous visitors, so agents need no real network. */
const toVisitorRequest = ({ actor }: ToolContext) => ({ actor, network: 'mcp' });

export const findAppsTool = defineTool({
  name: 'find_apps',
  title: 'Find apps',
  description: 'List apps, or read the inputs of one (slug).',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({ slug: Type.Optional(Id()), cursor: Cursor }),
  output: OutputSchema({
    apps: Type.Array(AnyObject()),
    app: AnyObject('inputSchema, outputs, limits'),
    nextCursor: Type.String(),
  }),
  tooLongHint: 'Read one app with slug.',
  call: async (ctx, { slug, ...query }) => {
    if (slug !== undefined) {
      const { examples: _, ...app } = await readAppView(ctx.deps, slug, toVisitorRequest(ctx));
      return { data: { app } };
    }
    const page = await listAppPage(ctx.deps, ctx.actor, { limit: 50, ...query });
    const apps = page.data.map(({ slug: name, title, description, payer }) => ({
      slug: name,
      title,
      description,
      payer,
    }));
    return { data: { apps, nextCursor: page.nextCursor ?? undefined } };
  },
});

export const runAppTool = defineTool({
  name: 'run_app',
  title: 'Run app',
  description: 'Run an app with inputs, or wait for a run of it (runId).',
  scope: 'workflows:execute',
  hints: { destructiveHint: false, openWorldHint: true },
  input: Exact({
    slug: Id(),
    inputs: Type.Optional(AnyObject('By the keys of inputSchema')),
    runId: Type.Optional(Id()),
    maxCredits: Type.Optional(Type.Integer({ minimum: 0, description: 'If you pay' })),
  }),
  output: OutputSchema({
    runId: Type.String(),
    status: Type.String(),
    outputs: AnyObject('By output_1, output_2'),
    error: AnyObject('code, message'),
    page: Type.String(),
    next: Type.String(),
  }),
  tooLongHint: TOO_LONG_HINT,
  call: async (ctx, { slug, inputs, runId, maxCredits }) => {
    if ((inputs === undefined) === (runId === undefined))
      throw new AppError('invalid_request', 'Send either inputs, to start a run, or runId, to wait for one.');
    const id = runId ?? (await start(ctx, slug, inputs ?? {}, maxCredits));
    const run = await waitForEnd(ctx, slug, id);
    const { status, outputs, error, page } = run;
    const isActive = status === 'QUEUED' || status === 'RUNNING';
    return {
      data: {
        runId: id,
        status,
        outputs,
        error: error ?? undefined,
        page,
        next: isActive ? 'Call run_app with runId.' : undefined,
      },
    };
  },
});

async function start(
  ctx: ToolContext,
  slug: string,
  inputs: Readonly<Record<string, unknown>>,
  maxCredits: number | undefined,
): Promise<string> {
  const input = { inputs: inputs as JsonObject, maxCredits };
  const { run } = await runApp(ctx.deps, slug, { request: toVisitorRequest(ctx), input }, ctx.signal);
  return run.id;
}

/** Returns the run once it has ended or the time is up. */
async function waitForEnd(ctx: ToolContext, slug: string, runId: string) {
  const release = ctx.reserveStream();
  try {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(WAIT_SECONDS * 1000)]);
    const target = { slug, runId, request: toVisitorRequest(ctx) };
    let latest: PresentedAppRun | undefined;
    const events = await watchAppRun(ctx.deps, target, signal);
    for await (const { data } of events) latest = data;
    if (latest === undefined) throw new AppError('not_found', 'Run not found.');
    return latest;
  } finally {
    release();
  }
}
