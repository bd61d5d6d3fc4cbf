// Tools to find and run apps: workflows offered as forms.
import { Type } from 'typebox';
import { type PresentedAppRun, watchAppRun } from '../../apps/app-run.ts';
import { readAppView } from '../../apps/app-view.ts';
import { runApp } from '../../apps/run-app.ts';
import { listAppPage } from '../../apps/settings.ts';
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { Exact } from '../../services/schema.ts';
import type { Caller } from '../caller.ts';
import { Anything, Cursor, defineTool, Id, OutputSchema, READS } from '../tool.ts';

const NARROW = 'Read the page of the run for complete values.';
const DEFAULT_WAIT_SECONDS = 45;

/** An agent is a user, so its network counts for nothing. */
const toRequest = ({ actor }: Caller) => ({ actor, network: 'mcp' });

export const findAppsTool = defineTool({
  name: 'find_apps',
  title: 'Find apps',
  description: 'List apps, or read the inputs of one (slug).',
  scope: 'workflows:read',
  hints: READS,
  input: Exact({ slug: Type.Optional(Id()), cursor: Cursor }),
  output: OutputSchema({
    apps: Type.Array(Anything()),
    app: Anything('inputSchema, outputs, limits'),
    nextCursor: Type.String(),
  }),
  narrow: 'Read one app with slug.',
  call: async (caller, { slug, ...query }) => {
    if (slug !== undefined) {
      const { examples: _, ...app } = await readAppView(caller.deps, slug, toRequest(caller));
      return { data: { app } };
    }
    const page = await listAppPage(caller.deps, caller.actor, { limit: 50, ...query });
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
    inputs: Type.Optional(Anything('By the keys of inputSchema')),
    runId: Type.Optional(Id()),
    maxCredits: Type.Optional(Type.Integer({ minimum: 0, description: 'If you pay' })),
  }),
  output: OutputSchema({
    runId: Type.String(),
    status: Type.String(),
    outputs: Anything('By output_1, output_2'),
    error: Anything('code, message'),
    page: Type.String(),
    next: Type.String(),
  }),
  narrow: NARROW,
  call: async (caller, { slug, inputs, runId, maxCredits }) => {
    if ((inputs === undefined) === (runId === undefined))
      throw new AppError('invalid_request', 'Send either inputs, to start a run, or runId, to wait for one.');
    const id = runId ?? (await start(caller, slug, inputs ?? {}, maxCredits));
    const run = await waitForEnd(caller, slug, id);
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
  caller: Caller,
  slug: string,
  inputs: Readonly<Record<string, unknown>>,
  maxCredits: number | undefined,
): Promise<string> {
  const input = { inputs: inputs as JsonObject, maxCredits };
  const started = await runApp(caller.deps, slug, { request: toRequest(caller), input }, caller.signal);
  return started.run.id;
}

/** Returns the run once it has ended or the time is up. */
async function waitForEnd(caller: Caller, slug: string, runId: string) {
  const release = caller.reserveStream();
  try {
    const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(DEFAULT_WAIT_SECONDS * 1000)]);
    const target = { slug, runId, request: toRequest(caller) };
    let last: PresentedAppRun | undefined;
    const events = await watchAppRun(caller.deps, target, signal);
    for await (const { data } of events) last = data;
    if (last === undefined) throw new AppError('not_found', 'Run not found.');
    return last;
  } finally {
    release();
  }
}
