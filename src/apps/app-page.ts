// Gathers what the page of an app shows: the form with its values, a run, examples, earlier results and the gallery.

import { hideCalls } from '../graph/components/hide-calls.ts';
import { redact } from '../graph/redact.ts';
import type { Graph } from '../graph/types.ts';
import { isFields, type JsonObject } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { findExecution } from '../store/executions.ts';
import { listGallery, listOwnResults, listResultsOfVisitors, readOpenRun } from './app-run.ts';
import { presentInputs, readExamples } from './examples.ts';
import type { AppField } from './fields.ts';
import { type OpenApp, openApp } from './open-app.ts';
import type { ShownOutput, ShownValue } from './outputs.ts';
import { estimateAppRun } from './run-app.ts';
import { countRunsLeft } from './runs-per-visitor.ts';
import { createPageToken, type VisitorRequest } from './visitor.ts';

/** A refused form: its values and the error. */
export interface RefusedForm {
  readonly values: JsonObject;
  readonly error: AppError;
}

export interface PageChoice {
  readonly runId?: string | undefined;
  /** The number of the example that fills the form, from 1. */
  readonly example?: number | undefined;
  readonly refused?: RefusedForm | undefined;
}

const MAX_GALLERY = 24;

export async function readAppPage(deps: RunDeps, slug: string, request: VisitorRequest, choice: PageChoice) {
  const open = await openApp(deps, slug, request);
  const { settings, visitor } = open;
  const run = choice.runId === undefined ? undefined : await readOpenRun(deps, open, choice.runId);
  const canPick = open.canEdit && settings.showsGallery;
  const [examples, history, gallery, ofVisitors] = await Promise.all([
    readExamples(deps, open),
    listOwnResults(deps, open),
    settings.showsGallery ? listGallery(deps, slug, request, { limit: MAX_GALLERY }) : undefined,
    canPick ? listResultsOfVisitors(deps, open) : [],
  ]);
  const example = choice.example === undefined ? undefined : examples[choice.example - 1];
  const values: Readonly<Record<string, unknown>> =
    choice.refused?.values ??
    example?.inputs ??
    (run?.isOwn === true ? await readInputs(deps, open, run.executionId) : {});
  return {
    slug,
    token: visitor.subject === undefined ? undefined : await createPageToken(deps, open.app, visitor.subject),
    title: settings.title,
    description: settings.description,
    embedOrigins: settings.embedOrigins,
    fields: open.fields.map(field => toFormField(field, values[field.key], choice.refused?.error)),
    run: run && {
      ...run.presented,
      results: listResults(open, run.presented.outputs),
      isOwn: run.isOwn,
    },
    exampleResults: example && listResults(open, example.outputs),
    examples: examples.map(({ inputs, outputs }) => ({ inputs, items: listFirstItems(outputs) })),
    history: history.map(toPreview),
    gallery: (gallery?.data ?? []).map(toPreview),
    ofVisitors: ofVisitors.map(toPreview),
    canPick,
    error: choice.refused?.error.message,
    notes: describeLimits(deps, open),
    price: await findPrice(deps, open, request, values),
    access: findAccess(open),
    isOutOfOrder: open.faults.length > 0,
    graph:
      settings.showsGraph && open.version !== undefined
        ? (redact(hideCalls(open.version.graph, new Set())) as Graph)
        : undefined,
    canDuplicate: settings.allowsDuplicate && visitor.user !== undefined,
  };
}

async function readInputs(deps: RunDeps, open: OpenApp, executionId: string) {
  const execution = await findExecution(deps.db, executionId);
  return execution === undefined ? {} : presentInputs(deps, open, execution);
}

const toPreview = ({ page, createdAt, outputs }: Awaited<ReturnType<typeof listOwnResults>>[number]) => ({
  page,
  createdAt,
  items: listFirstItems(outputs),
});

function listResults({ outputs }: OpenApp, shown: Readonly<Record<string, ShownOutput>>) {
  return outputs.flatMap(({ key, label, hasCaption }) => {
    const items = listItems(shown[key]);
    return items.length === 0 ? [] : [{ label, hasCaption, items }];
  });
}

function listItems(output: ShownOutput | undefined): readonly ShownValue[] {
  if (output === undefined) return [];
  return output.items ?? [output];
}

/** Returns the values of the first output, images and videos first, for a thumbnail. */
function listFirstItems(outputs: Readonly<Record<string, ShownOutput>>): readonly ShownValue[] {
  const items = Object.values(outputs).flatMap(listItems);
  const pictures = items.filter(({ type }) => type === 'IMAGE' || type === 'VIDEO');
  return [...pictures, ...items].slice(0, 1);
}

function toFormField(field: AppField, value: unknown, error: AppError | undefined) {
  const issue = error?.issues?.find(({ path }) => path === `/inputs/${field.key}`);
  const isFile = field.control === 'media' && isFields(value);
  return {
    ...field,
    kind: field.nodeType.slice('input:'.length),
    value: isFile ? String(value.mediaId ?? '') : toText(value ?? field.initial ?? ''),
    url: isFile && typeof value.url === 'string' ? value.url : undefined,
    error: issue?.message,
  };
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every(item => typeof item !== 'object')) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function findAccess({ app, visitor }: OpenApp): 'open' | 'proof' | 'sign in' {
  if (visitor.user !== undefined) return 'open';
  if (app.payer === 'visitor') return 'sign in';
  return visitor.isVouched ? 'open' : 'proof';
}

function describeLimits(deps: RunDeps, open: OpenApp): readonly string[] {
  const limit = open.app.runs_per_visitor;
  const left = countRunsLeft(deps, open);
  const notes: string[] = [];
  if (left !== null)
    notes.push(`You can run it ${limit === 1 ? 'once' : `${limit} times`} a day (UTC). ${left} left today.`);
  if (open.fields.some(({ control }) => control === 'media'))
    notes.push('Files may have at most 10 MB. They are deleted after 24 hours.');
  return notes;
}

async function findPrice(
  deps: RunDeps,
  { app, visitor, faults }: OpenApp,
  request: VisitorRequest,
  values: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  if (app.payer !== 'visitor' || visitor.user === undefined || faults.length > 0) return undefined;
  try {
    return (await estimateAppRun(deps, app.slug, request, values as JsonObject)).credits;
  } catch (err) {
    // Fields that are still empty, for example. The price is shown once they are filled in.
    if (err instanceof AppError && err.status < 500) return undefined;
    throw err;
  }
}
