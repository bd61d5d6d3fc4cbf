// `graphwright models`: compares the models of providers with the models of this service. Nothing is deleted: a model that
// is removed, or that its provider no longer lists, stays for graphs that use it.
import type { Model } from '../nodes/models/model.ts';
import { markRemoved } from '../nodes/models/reconcile.ts';
import { withShipped } from '../nodes/models/shipped.ts';
import { type PlannedChange, planProviderSync, type SyncPlan } from '../nodes/models/sync.ts';
import { type Command, CommandFailedError, type CommandInput, UsageError } from './command.ts';
import {
  fetchListing,
  getToday,
  type ModelOffer,
  openModelSource,
  parseProvider,
  withModels,
} from './models-access.ts';
import { getOptionText } from './options.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText, truncateText } from './terminal/text-width.ts';

const MAX_PRINTED = 100;
/** A folder with a model follows. */
const LOCAL_PREFIX = 'local:';

export const searchModels: Command = async ({ args, options, terminal, signal }) => {
  const provider = parseProvider(options.provider ?? 'fal');
  const category = getOptionText(options.category);
  const searchText = args.join(' ');
  const offers: readonly ModelOffer[] =
    category === undefined
      ? await openModelSource(provider, signal).search(searchText)
      : await fetchListing(provider, { searchText, isFull: false, category }, signal);
  if (options.json === true) return terminal.print(JSON.stringify(offers, null, 2));
  const rows = offers
    .slice(0, MAX_PRINTED)
    .map(row => [
      terminal.paint('bold', cleanText(row.endpoint)),
      cleanText(row.label),
      terminal.paint('dim', cleanText(row.category ?? '')),
    ]);
  for (const line of alignColumns(rows))
    terminal.print(terminal.isLive ? truncateText(line, terminal.width) : line);
  if (offers.length > MAX_PRINTED) terminal.note(`${offers.length - MAX_PRINTED} more; use more words.`);
  if (offers.length === 0) throw new CommandFailedError();
};

export const showModel: Command = async ({ args, options, terminal, signal }) => {
  const [provider, ...endpoints] = args;
  const [row] = await fetchListing(parseProvider(provider), { endpoints, isFull: true }, signal);
  if (row === undefined) throw new Error(`${provider} lists no model ${endpoints.join(' ')}.`);
  if (row.model === undefined) throw new Error(`${row.endpoint} cannot be a node: ${row.problem}.`);
  terminal.print(options.json === true ? JSON.stringify(row, null, 2) : describeModel(row.model));
};

export const addModels: Command = async input => {
  const [provider = '', ...endpoints] = input.args;
  if (provider.startsWith(LOCAL_PREFIX)) {
    const { addLocalModel } = await import('./local-model.ts');
    return addLocalModel(provider.slice(LOCAL_PREFIX.length), input);
  }
  if (endpoints.length === 0) throw new UsageError('Name the endpoints of the models to add.');
  const source = openModelSource(parseProvider(provider), input.signal);
  await applyPlan(input, async installed => {
    const plan = await source.plan(installed, endpoints);
    const unusable = plan.changes.filter(({ kind }) => kind === 'unusable');
    for (const { endpoint, changes } of unusable)
      input.terminal.note(`${endpoint} cannot be a node: ${changes[0]?.what}.`);
    if (unusable.length > 0) throw new Error('Nothing was added.');
    return plan;
  });
};

export const syncModels: Command = async input => {
  const { options, signal } = input;
  const provider = parseProvider(options.provider ?? 'fal');
  const category = getOptionText(options.category);
  const addsNew = category !== undefined || options.all === true;
  const source = openModelSource(provider, signal);
  await applyPlan(input, async installed => {
    if (!addsNew) return source.plan(installed);
    const ownModels = installed.filter(model => model.provider === provider);
    const endpoints = ownModels.map(({ endpoint }) => endpoint);
    const listedOwnModels = await fetchListing(provider, { endpoints, isFull: true }, signal);
    const query = { isFull: true, ...(category === undefined ? {} : { category }) };
    const listedModels = [...listedOwnModels, ...(await fetchListing(provider, query, signal))];
    return planProviderSync(installed, provider, listedModels, { date: getToday(), addsNew });
  });
};

/** Prints what `sync` would change. Fails if there is a change, so that a weekly job can run this command. */
export const checkModels: Command = async ({ options, terminal, signal }) => {
  const provider = parseProvider(options.provider ?? 'fal');
  const plan = await withModels({ signal }, async access =>
    openModelSource(provider, signal).plan(withShipped((await access.read()).models)),
  );
  if (options.json === true) terminal.print(JSON.stringify(plan, null, 2));
  else printPlan(plan, terminal);
  if (plan.changes.length > 0) throw new CommandFailedError();
};

export const removeModels: Command = async input => {
  const { args, terminal, signal } = input;
  const removedModels = await withModels({ signal }, async access => {
    const installed = await access.read();
    const models = args.map(nodeType => {
      const model = withShipped(installed.models).find(candidate => candidate.nodeType === nodeType);
      if (model === undefined) throw new Error(`${nodeType} is not an installed or shipped model.`);
      return markRemoved(model, getToday());
    });
    await access.write(installed.revision, models);
    return models;
  });
  if (input.options.json === true)
    return terminal.print(JSON.stringify(removedModels.map(({ nodeType }) => nodeType)));
  terminal.print(
    `${removedModels.length} models are hidden and deprecated; graphs that have them still run.`,
  );
};

/** Prints the planned changes, then applies all or none of them. Fails if the models have changed in the meantime. */
async function applyPlan(
  { options, terminal, signal }: CommandInput,
  createPlan: (installed: readonly Model[]) => SyncPlan | Promise<SyncPlan>,
): Promise<void> {
  await withModels({ signal }, async access => {
    const installed = await access.read();
    const plan = await createPlan(withShipped(installed.models));
    const models = plan.changes.flatMap(({ model }) => model ?? []);
    if (options.json === true) terminal.print(JSON.stringify(plan, null, 2));
    else printPlan(plan, terminal);
    if (options.dryRun === true || models.length === 0) return;
    if (plan.isLarge && options.yes !== true) {
      throw new UsageError(
        `More than a fifth of ${plan.compared} models would change. Review the changes, then repeat with --yes.`,
      );
    }
    signal.throwIfAborted();
    await access.write(installed.revision, models);
    terminal.note(`${models.length} models written.`);
  });
}

const CHANGE_SIGNS: Readonly<
  Record<PlannedChange['kind'], readonly [string, Parameters<Terminal['paint']>[0]]>
> = {
  new: ['+', 'green'],
  changed: ['~', 'yellow'],
  gone: ['-', 'red'],
  unusable: ['!', 'dim'],
};

function printPlan({ changes, compared }: SyncPlan, terminal: Terminal): void {
  for (const { kind, nodeType, endpoint, changes: details } of changes) {
    const [sign, style] = CHANGE_SIGNS[kind];
    const name = cleanText(nodeType === '' ? endpoint : nodeType);
    const endpointNote = nodeType === '' ? '' : `  ${terminal.paint('dim', cleanText(endpoint))}`;
    terminal.print(`${terminal.paint(style, sign)} ${name}${endpointNote}`);
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
