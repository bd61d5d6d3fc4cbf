// `graphwright templates`: lists the gallery of a running service, and copies a template to a new workflow.
import type { Template } from '../../sdk/src/schemas.ts';
import { readSettings } from '../lib/settings.ts';
import { createServiceClient } from './client.ts';
import type { Command } from './command.ts';
import { getOptionText } from './options.ts';
import { alignColumns, cleanText, truncateText } from './terminal/text-width.ts';

export const listTemplates: Command = async ({ options, terminal, signal }) => {
  const client = createServiceClient(readSettings(), signal);
  const templates = await client.list<Template>('/templates', {
    shelf: getOptionText(options.shelf),
    runsNow: options.runsNow === true ? true : undefined,
  });
  if (options.json === true) return terminal.print(JSON.stringify(templates, null, 2));
  const rows = templates.map(({ id, title, runsNow, needs }) => [
    terminal.paint('bold', cleanText(id)),
    cleanText(title),
    terminal.paint('dim', runsNow ? 'runs now' : `needs ${needs.map(cleanText).join(', ')}`),
  ]);
  for (const line of alignColumns(rows))
    terminal.print(terminal.isLive ? truncateText(line, terminal.width) : line);
  if (templates.length === 0) throw new Error('No templates found.');
};

export const applyTemplate: Command = async ({ args, options, terminal, signal }) => {
  const [name = ''] = args;
  const id = name.startsWith('tpl_') ? name : `tpl_${name}`;
  const body = typeof options.name === 'string' ? { name: options.name } : {};
  const client = createServiceClient(readSettings(), signal);
  const workflow = await client.post<{ readonly id: string; readonly name: string }>(
    `/templates/${encodeURIComponent(id)}/duplicate`,
    body,
  );
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(`${workflow.id}  ${cleanText(workflow.name)}`);
  terminal.note(`Run it with: graphwright run ${workflow.id}`);
};
