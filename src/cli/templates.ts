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
  const template = await client.get<Template>(`/templates/${encodeURIComponent(id)}`);
  const workflow = await client.post<{ readonly id: string; readonly name: string }>(
    `/templates/${encodeURIComponent(id)}/duplicate`,
    body,
  );
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(`${workflow.id}  ${cleanText(workflow.name)}`);
  for (const line of describeNextStep(template, workflow.id)) terminal.note(line);
};

/** Returns what the user can do with the copy of a template. */
function describeNextStep({ runsNow, hasSample, needs }: Template, id: string): readonly string[] {
  const command = `graphwright run ${id}`;
  if (runsNow) return [`Run it with: ${command}`];
  const addKeys = needs.map(name => `graphwright credentials add ${cleanText(name)}`).join(', ');
  return [
    ...(hasSample ? [`See its sample results with: ${command} --use-sample`] : []),
    `To run its models, add a key first with: ${addKeys}`,
  ];
}
