// Presents a run to agents: its state, results, cost and next step.
import { Type } from 'typebox';
import type { ExecutionRecord } from '../runs/read/present-execution.ts';
import { createPreview, findMediaByUrl } from '../services/media/preview-media.ts';
import { getWorkflowPageUrl } from './agent-graph.ts';
import { AnyObject, type Link, OutputSchema, type ToolContext, type ToolOutput } from './tool.ts';

export const EXECUTION_OUTPUT = OutputSchema({
  executionId: Type.String(),
  status: Type.String(),
  progress: AnyObject('done, total'),
  outputs: Type.Array(AnyObject()),
  credits: AnyObject('estimated, charged'),
  error: AnyObject('code, message, nodeId'),
  next: Type.String(),
  note: Type.String(),
});
export const TOO_LONG_HINT = 'The complete outputs are at their URLs and in graphwright://executions/{id}.';

const MAX_PREVIEWS = 4;
const MAX_LINKS = 50;

export interface ExecutionOptions {
  readonly previews: boolean;
}

export async function presentForAgent(
  ctx: ToolContext,
  record: ExecutionRecord,
  { previews }: ExecutionOptions,
): Promise<ToolOutput> {
  const { id, status, progress, outputs, credits, error } = record;
  const urls = [...new Set(outputs.flatMap(({ url }) => (typeof url === 'string' ? [url] : [])))];
  const files = await findFiles(ctx, urls.slice(0, MAX_LINKS));
  return {
    data: {
      executionId: id,
      status,
      progress,
      outputs: outputs.map(({ render: _, ...output }) => output),
      credits: { estimated: credits.estimated, charged: credits.charged },
      error: error ?? undefined,
      next: describeNextStep(ctx, record),
    },
    links: files.map(({ link }) => link),
    previews: previews ? await createPreviews(ctx, record, files) : [],
  };
}

type MediaRow = NonNullable<Awaited<ReturnType<typeof findMediaByUrl>>>;

interface OutputFile {
  readonly link: Link;
  readonly row: MediaRow | undefined;
}

async function findFiles({ deps }: ToolContext, urls: readonly string[]): Promise<readonly OutputFile[]> {
  return Promise.all(
    urls.map(async url => {
      const row = await findMediaByUrl(deps, url);
      const name = row?.name ?? url.split('/').at(-1) ?? 'file';
      const fileInfo = row === undefined ? {} : { mimeType: row.content_type, size: row.bytes };
      return { link: { uri: url, name, ...fileInfo }, row };
    }),
  );
}

/** Creates previews of the first images, and of the posters of videos that this service rendered. */
async function createPreviews(
  { deps, signal }: ToolContext,
  { outputs }: ExecutionRecord,
  files: readonly OutputFile[],
): Promise<readonly string[]> {
  const stills = await Promise.all(
    outputs.flatMap(output => listPosters(output)).map(url => findMediaByUrl(deps, url)),
  );
  const rows = [...files.map(({ row }) => row), ...stills].filter(row => row !== undefined);
  const jpegs: string[] = [];
  for (const row of rows) {
    if (jpegs.length === MAX_PREVIEWS || signal.aborted) break;
    const jpeg = await createPreview(deps, row, signal);
    if (jpeg !== undefined) jpegs.push(jpeg.toString('base64'));
  }
  return jpegs;
}

function listPosters({ render }: ExecutionRecord['outputs'][number]): readonly string[] {
  const { posterUrl } = (render ?? {}) as { readonly posterUrl?: unknown };
  return typeof posterUrl === 'string' ? [posterUrl] : [];
}

function describeNextStep({ deps }: ToolContext, { id, status, workflowId, error }: ExecutionRecord): string {
  if (status === 'COMPLETED') return 'Done.';
  if (status === 'WAITING') return `A person must approve it at ${getWorkflowPageUrl(deps, workflowId)}.`;
  if (status === 'FAILED' && error?.code === 'insufficient_credits')
    return 'The credits ran out. Tell the user. Completed results are kept.';
  if (status === 'FAILED' || status === 'TIMEOUT')
    return 'Read the error, change the workflow with edit_workflow, run again.';
  if (status === 'CANCELLED') return 'The run was cancelled. Completed results are kept.';
  return `Call get_execution with executionId ${id}.`;
}
