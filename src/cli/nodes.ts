// `graphwright nodes`: prints the catalog for this machine's settings, without a service.
import type { CatalogEntry, InputDef } from '../graph/catalog.ts';
import { describeUnknownType } from '../graph/nearest.ts';
import { readSettings } from '../lib/settings.ts';
import { createNodeCatalog } from '../nodes/catalog.ts';
import { type Command, UsageError } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, truncateText } from './terminal/text-width.ts';

export const nodes: Command = async ({ args, options, terminal }) => {
  const catalog = createNodeCatalog(readSettings());
  const [nodeType] = args;
  if (nodeType !== undefined) {
    const entry = catalog.find(nodeType);
    if (entry === undefined)
      throw new UsageError(`${describeUnknownType(nodeType, catalog)} \`graphwright nodes\` lists them.`);
    return options.json === true
      ? terminal.print(JSON.stringify(entry, null, 2))
      : printEntry(entry, terminal);
  }
  const visible = catalog.entries.filter(entry => entry.hidden === undefined);
  const categories = [...new Set(visible.map(entry => entry.category))];
  const category = options.category;
  if (typeof category === 'string' && !categories.some(candidate => candidate === category)) {
    throw new UsageError(`--category must be one of ${categories.join(', ')}.`);
  }
  const entries = visible.filter(entry => category === undefined || entry.category === category);
  if (options.json === true) return terminal.print(JSON.stringify(entries, null, 2));
  printList(entries, terminal);
};

function printList(entries: readonly CatalogEntry[], terminal: Terminal): void {
  const rows = entries.map(entry => [
    terminal.paint('bold', entry.nodeType),
    listPortIds(entry.inputs.filter(input => input.isPort)),
    '→',
    listPortIds(entry.outputs),
    terminal.paint('dim', entry.description ?? entry.label),
  ]);
  for (const line of alignColumns(rows))
    terminal.print(terminal.isLive ? truncateText(line, terminal.width) : line);
}

const listPortIds = (defs: readonly { readonly id: string }[]): string =>
  defs.map(def => def.id).join(' ') || '-';

function printEntry(entry: CatalogEntry, terminal: Terminal): void {
  terminal.print(`${terminal.paint('bold', entry.nodeType)}  ${entry.label}`);
  if (entry.description !== undefined) terminal.print(entry.description);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Ports in', entry.inputs.filter(input => input.isPort).map(describeInput)],
    ['Config', entry.inputs.filter(input => !input.isPort).map(describeInput)],
    ['Ports out', entry.outputs.map(output => `${output.id}  ${output.type}`)],
  ];
  for (const [title, lines] of sections) {
    if (lines.length > 0) terminal.print(`\n${title}\n${lines.map(line => `  ${line}`).join('\n')}`);
  }
  if (entry.dynamicPortsNote !== undefined) terminal.print(`\n${entry.dynamicPortsNote}`);
}

function describeInput(input: InputDef): string {
  const details = [
    input.required === true ? 'required' : undefined,
    input.default === undefined ? undefined : `default ${JSON.stringify(input.default)}`,
    input.enum === undefined ? undefined : `one of ${input.enum.join(', ')}`,
    input.min === undefined && input.max === undefined ? undefined : `${input.min ?? ''}…${input.max ?? ''}`,
  ].filter(detail => detail !== undefined);
  return [input.id, input.type, ...details].join('  ');
}
