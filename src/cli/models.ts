// `graphwright models`: compares what providers offer with what this service has. Nothing is deleted: a model that is
// removed, or no longer listed by its provider, stays for graphs that use it.
import type { ListingProvider } from '../nodes/models/listing/listing.ts';
import type { Model } from '../nodes/models/model.ts';
import { remove } from '../nodes/models/reconcile.ts';
import { withShipped } from '../nodes/models/shipped.ts';
import { type PlannedChange, planFor, type SyncPlan, stripVersion } from '../nodes/models/sync.ts';
import { type Command, type CommandInput, UsageError, WorkFailed } from './command.ts';
import { fetchListing, findListingService, getToday, parseProvider, withModels } from './models-io.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText, cutText } from './terminal/text-width.ts';

const MAX_SHOWN = 100;

export const searchModels: Command = async ({ args, options, terminal, signal }) => {
  const provider = parseProvider(options.provider ?? 'fal');
  const category = toText(options.category);
  const query = {
    searchText: args.join(' '),
    isFull: false,
    ...(category === undefined ? {} : { category }),
  };
  const service = category === undefined ? findListingService(provider, signal) : undefined;
  const found =
    service === undefined
      ? await fetchListing(provider, query, signal)
      : (
          await service.get<Offers>(
            `/admin/models/offers?${new URLSearchParams({ provider, query: query.searchText })}`,
          )
        ).offers;
  if (options.json === true) return terminal.print(JSON.stringify(found, null, 2));
  const rows = found
    .slice(0, MAX_SHOWN)
    .map(row => [
      terminal.paint('bold', cleanText(row.endpoint)),
      cleanText(row.label),
      terminal.paint('dim', cleanText(row.category ?? '')),
    ]);
  for (const line of alignColumns(rows))
    terminal.print(terminal.isLive ? cutText(line, terminal.width) : line);
  if (found.length > MAX_SHOWN) terminal.note(`${found.length - MAX_SHOWN} more; use more words.`);
  if (found.length === 0) throw new WorkFailed();
};

interface Offers {
  readonly offers: readonly {
    readonly endpoint: string;
    readonly label: string;
    readonly category: string | null;
  }[];
}

export const showModel: Command = async ({ args, options, terminal, signal }) => {
  const [provider, ...endpoints] = args;
  const [row] = await fetchListing(parseProvider(provider), { endpoints, isFull: true }, signal);
  if (row === undefined) throw new Error(`${provider} lists no model ${endpoints.join(' ')}.`);
  if (row.model === undefined) throw new Error(`${row.endpoint} cannot be a node: ${row.problem}.`);
  terminal.print(options.json === true ? JSON.stringify(row, null, 2) : describeModel(row.model));
};

export const addModels: Command = async input => {
  const [provider, ...endpoints] = input.args;
  const from = parseProvider(provider);
  const service = findListingService(from, input.signal);
  if (service !== undefined)
    return change(input, async () => {
      const plan = await service.post<SyncPlan>('/admin/models/plan', { provider: from, endpoints });
      const unusable = plan.changes.filter(({ kind }) => kind === 'unusable');
      requireUsable(
        input,
        unusable.map(({ endpoint, changes }) => ({ endpoint, problem: changes[0]?.what })),
      );
      return plan;
    });
  const listed = await fetchListing(from, { endpoints, isFull: true }, input.signal);
  const missing = endpoints.filter(
    endpoint => !listed.some(row => stripVersion(row.endpoint) === stripVersion(endpoint)),
  );
  if (missing.length > 0) throw new Error(`${from} lists no model ${missing.join(', ')}; nothing was added.`);
  requireUsable(
    input,
    listed.filter(({ model }) => model === undefined),
  );
  const requested = new Set(endpoints.map(stripVersion));
  const isSelected = ({ endpoint }: Model): boolean => requested.has(stripVersion(endpoint));
  await change(input, installed =>
    planFor(installed, from, listed, { date: getToday(), addsNew: true, restores: true, isSelected }),
  );
};

function requireUsable(
  { terminal }: CommandInput,
  unusable: readonly { readonly endpoint: string; readonly problem?: string | undefined }[],
): void {
  for (const { endpoint, problem } of unusable) terminal.note(`${endpoint} cannot be a node: ${problem}.`);
  if (unusable.length > 0) throw new Error('Nothing was added.');
}

export const syncModels: Command = async input => {
  const { options, signal } = input;
  const provider = parseProvider(options.provider ?? 'fal');
  const category = toText(options.category);
  const addsNew = category !== undefined || options.all === true;
  const service = addsNew ? undefined : findListingService(provider, signal);
  if (service !== undefined)
    return change(input, () => service.post<SyncPlan>('/admin/models/plan', { provider }));
  await change(input, async installed => {
    const ours = installed.filter(model => model.provider === provider);
    const endpoints = ours.map(({ endpoint }) => endpoint);
    const known = await fetchListing(provider, { endpoints, isFull: true }, signal);
    const listed = addsNew
      ? await fetchListing(
          provider,
          { isFull: true, ...(category === undefined ? {} : { category }) },
          signal,
        )
      : [];
    return planFor(installed, provider, [...known, ...listed], { date: getToday(), addsNew });
  });
};

/** Compares the models like `sync`, without writing. Fails if something has changed, for a weekly job. */
export const checkModels: Command = async ({ options, terminal, signal }) => {
  const provider = parseProvider(options.provider ?? 'fal');
  const service = findListingService(provider, signal);
  const plan =
    service === undefined
      ? await planByEnvironment(provider, signal)
      : await service.post<SyncPlan>('/admin/models/plan', { provider });
  if (options.json === true) terminal.print(JSON.stringify(plan, null, 2));
  else printPlan(plan, terminal);
  if (plan.changes.length > 0) throw new WorkFailed();
};

async function planByEnvironment(provider: ListingProvider, signal: AbortSignal): Promise<SyncPlan> {
  const installed = await withModels({ signal }, async access => withShipped((await access.read()).models));
  const endpoints = installed.filter(model => model.provider === provider).map(({ endpoint }) => endpoint);
  const listed = await fetchListing(provider, { endpoints, isFull: true }, signal);
  return planFor(installed, provider, listed, { date: getToday(), addsNew: false });
}

export const removeModels: Command = async input => {
  const { args, terminal, signal } = input;
  const removed = await withModels({ signal }, async access => {
    const installed = await access.read();
    const models = args.map(nodeType => {
      const model = withShipped(installed.models).find(candidate => candidate.nodeType === nodeType);
      if (model === undefined) throw new Error(`${nodeType} is not an installed or shipped model.`);
      return remove(model, getToday());
    });
    await access.write(installed.revision, models);
    return models;
  });
  if (input.options.json === true)
    return terminal.print(JSON.stringify(removed.map(({ nodeType }) => nodeType)));
  terminal.print(`${removed.length} models are hidden and deprecated; graphs that have them still run.`);
};

/** Shows what would change, then writes it: all or nothing, and only if nothing has changed meanwhile. */
async function change(
  { options, terminal, signal }: CommandInput,
  plan: (installed: readonly Model[]) => SyncPlan | Promise<SyncPlan>,
): Promise<void> {
  await withModels({ signal }, async access => {
    const installed = await access.read();
    const planned = await plan(withShipped(installed.models));
    const models = planned.changes.flatMap(({ model }) => model ?? []);
    if (options.json === true) terminal.print(JSON.stringify(planned, null, 2));
    else printPlan(planned, terminal);
    if (options.dryRun === true || models.length === 0) return;
    if (planned.isLarge && options.yes !== true) {
      throw new UsageError(
        `More than a fifth of ${planned.compared} models would change. Review the changes, then repeat with --yes.`,
      );
    }
    signal.throwIfAborted();
    await access.write(installed.revision, models);
    terminal.note(`${models.length} models written.`);
  });
}

const SIGNS: Readonly<Record<PlannedChange['kind'], readonly [string, Parameters<Terminal['paint']>[0]]>> = {
  new: ['+', 'green'],
  changed: ['~', 'yellow'],
  gone: ['-', 'red'],
  unusable: ['!', 'dim'],
};

function printPlan({ changes, compared }: SyncPlan, terminal: Terminal): void {
  for (const { kind, nodeType, endpoint, changes: details } of changes) {
    const [sign, style] = SIGNS[kind];
    const name = cleanText(nodeType === '' ? endpoint : nodeType);
    const place = nodeType === '' ? '' : `  ${terminal.paint('dim', cleanText(endpoint))}`;
    terminal.print(`${terminal.paint(style, sign)} ${name}${place}`);
    for (const { what } of details.slice(0, 12)) terminal.print(cleanText(`    ${what}`));
  }
  const count = (kind: PlannedChange['kind']): number =>
    changes.filter(change => change.kind === kind).length;
  terminal.note(
    `${compared} compared: ${count('new')} new, ${count('changed')} changed, ${count('gone')} gone, ${count('unusable')} not usable.`,
  );
}

function describeModel(model: Model): string {
  const lines = model.fields.map(field => {
    const details = [
      field.isPort ? 'port' : '',
      field.required ? 'required' : '',
      field.enum?.join('|') ?? '',
    ];
    return `  ${[field.id, field.type, ...details].filter(detail => detail !== '').join('  ')}`;
  });
  const head = `${model.nodeType}  ${model.label}  → ${model.output.kind}`;
  return cleanLines([head, ...lines, `price: ${model.priceSource}`]);
}

const cleanLines = (lines: readonly string[]): string => lines.map(cleanText).join('\n');

function toText(option: CommandInput['options'][string]): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
