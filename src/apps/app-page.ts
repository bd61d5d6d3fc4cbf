// Reads the data of an app's page: the form with its values, a run, examples, earlier results and the gallery.
import { hideCalls } from '../graph/components/hide-calls.ts';
import { redact } from '../graph/redact.ts';
import { type Graph, isObject, type JsonObject } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { getMediaUrl } from '../services/media/media-record.ts';
import { findExecution } from '../store/executions.ts';
import { findMedia } from '../store/media/media.ts';
import { presentInputs, readExamples } from './examples.ts';
import type { AppField } from './fields.ts';
import { type OpenedApp, openApp } from './open-app.ts';
import type { AppOutputs, OutputValue, PresentedOutput } from './outputs.ts';
import { countRunsLeft } from './runs-per-visitor.ts';
import { estimateAppRun } from './start-app-run.ts';
import { createPageToken, type VisitorRequest } from './visitor.ts';
import { listGallery, listOwnResults, listResultsOfVisitors, readOpenRun } from './visitor-runs.ts';

/** A submitted form that was refused. */
export interface RefusedForm {
  readonly values: JsonObject;
  readonly error: AppError;
}

export interface PageOptions {
  readonly runId?: string | undefined;
  /** The number of the example that fills the form, from 1. */
  readonly example?: number | undefined;
  readonly refused?: RefusedForm | undefined;
}

const MAX_GALLERY = 24;

export async function readAppPage(
  deps: RunDeps,
  slug: string,
  request: VisitorRequest,
  options: PageOptions,
) {
  const opened = await openApp(deps, slug, request);
  const { settings, visitor } = opened;
  const run = options.runId === undefined ? undefined : await readOpenRun(deps, opened, options.runId);
  const canPick = opened.canEdit && settings.showsGallery;
  const [examples, history, gallery, visitorResults] = await Promise.all([
    readExamples(deps, opened),
    listOwnResults(deps, opened),
    settings.showsGallery ? listGallery(deps, slug, request, { limit: MAX_GALLERY }) : undefined,
    canPick ? listResultsOfVisitors(deps, opened) : [],
  ]);
  const example = options.example === undefined ? undefined : examples[options.example - 1];
  const values: Readonly<Record<string, unknown>> =
    options.refused?.values ??
    example?.inputs ??
    (run?.isOwn === true ? await readRunInputs(deps, opened, run.executionId) : {});
  return {
    slug,
    token:
      visitor.subject === undefined ? undefined : await createPageToken(deps, opened.app, visitor.subject),
    title: settings.title,
    description: settings.description,
    embedOrigins: settings.embedOrigins,
    fields: await Promise.all(
      opened.fields.map(field => toFormField(deps, field, values[field.key], options.refused?.error)),
    ),
    run: run && {
      ...run.presented,
      results: listResults(opened, run.outputs),
      isOwn: run.isOwn,
    },
    exampleResults: example && listResults(opened, example.outputs),
    examples: examples.map(({ inputs, outputs }) => ({ inputs, items: listThumbnailItems(outputs) })),
    history: history.map(toPreview),
    gallery: (gallery?.data ?? []).map(toPreview),
    visitorResults: visitorResults.map(toPreview),
    canPick,
    error: options.refused?.error.message,
    notes: await describeLimits(deps, opened),
    asksPrice: asksPrice(opened),
    price: await findPrice(deps, opened, request, values),
    access: findAccess(opened),
    isOutOfOrder: opened.issues.length > 0,
    graph:
      settings.showsGraph && opened.version !== undefined
        ? (redact(hideCalls(opened.version.graph, new Set())) as Graph)
        : undefined,
    canDuplicate: settings.allowsDuplicate && visitor.user !== undefined,
  };
}

async function readRunInputs(deps: RunDeps, opened: OpenedApp, executionId: string) {
  const execution = await findExecution(deps.db, executionId);
  return execution === undefined ? {} : presentInputs(deps, opened, execution.request);
}

const toPreview = ({ page, createdAt, outputs }: Awaited<ReturnType<typeof listOwnResults>>[number]) => ({
  page,
  createdAt,
  items: listThumbnailItems(outputs),
});

function listResults({ outputs }: OpenedApp, presented: AppOutputs) {
  return outputs.flatMap(({ key, label, hasCaption }) => {
    const items = listItems(presented[key]);
    return items.length === 0 ? [] : [{ label, hasCaption, items }];
  });
}

function listItems(output: PresentedOutput | undefined): readonly OutputValue[] {
  if (output === undefined) return [];
  return output.items ?? [output];
}

/** Returns the first image or video for a thumbnail, or else the first value. */
function listThumbnailItems(outputs: AppOutputs): readonly OutputValue[] {
  const items = Object.values(outputs).flatMap(listItems);
  const visuals = items.filter(({ type }) => type === 'IMAGE' || type === 'VIDEO');
  return [...visuals, ...items].slice(0, 1);
}

async function toFormField(deps: RunDeps, field: AppField, value: unknown, error: AppError | undefined) {
  const issue = error?.issues?.find(({ path }) => path === `/inputs/${field.key}`);
  const isFile = field.control === 'media' && isObject(value);
  return {
    ...field,
    kind: field.nodeType.slice('input:'.length),
    value: isFile ? String(value.mediaId ?? '') : toText(value ?? field.initial ?? ''),
    url: isFile && typeof value.url === 'string' ? value.url : await findFileUrl(deps, field.ownFile),
    error: issue?.message,
  };
}

async function findFileUrl(deps: RunDeps, file: JsonObject | undefined): Promise<string | undefined> {
  if (typeof file?.mediaId !== 'string') return typeof file?.url === 'string' ? file.url : undefined;
  const row = await findMedia(deps.db, file.mediaId);
  return row && getMediaUrl(deps, row);
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every(item => typeof item !== 'object')) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function findAccess({ app, visitor }: OpenedApp): 'open' | 'proof' | 'sign in' {
  if (visitor.user !== undefined) return 'open';
  if (app.payer === 'visitor') return 'sign in';
  return visitor.isVouched ? 'open' : 'proof';
}

async function describeLimits(deps: RunDeps, opened: OpenedApp): Promise<readonly string[]> {
  const limit = opened.app.runs_per_visitor;
  const runsLeft = await countRunsLeft(deps, opened);
  const notes: string[] = [];
  if (runsLeft !== null)
    notes.push(
      `You can run it ${limit === 1 ? 'once' : `${limit} times`} a day (UTC). ${runsLeft} left today.`,
    );
  if (opened.fields.some(({ control }) => control === 'media'))
    notes.push('Files may have at most 10 MB. They are deleted after 24 hours.');
  return notes;
}

/** Returns whether the visitor pays, and so has to see the price first. */
const asksPrice = ({ app, visitor, issues }: OpenedApp): boolean =>
  app.payer === 'visitor' && visitor.user !== undefined && issues.length === 0;

/** Throws 402 `max_credits_exceeded` if the visitor pays for the run and has not seen its price. */
export async function requireSeenPrice(
  deps: RunDeps,
  opened: OpenedApp,
  request: VisitorRequest,
  { values, maxCredits }: { readonly values: JsonObject; readonly maxCredits: number | undefined },
): Promise<void> {
  if (maxCredits !== undefined) return;
  const price = await findPrice(deps, opened, request, values);
  if (price === undefined || price === 0) return;
  throw new AppError('max_credits_exceeded', 'The price of this run is now known. Check it and run again.');
}

async function findPrice(
  deps: RunDeps,
  opened: OpenedApp,
  request: VisitorRequest,
  values: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  if (!asksPrice(opened)) return undefined;
  try {
    return (await estimateAppRun(deps, opened.app.slug, request, values as JsonObject)).credits;
  } catch (err) {
    // Fields may still be empty, for example. The page shows the price when they are filled in.
    if (err instanceof AppError && err.status < 500) return undefined;
    throw err;
  }
}
