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
  const rows = templates.map(template => [
    terminal.paint('bold', cleanText(template.id)),
    cleanText(template.title),
    terminal.paint('dim', describeReadiness(template)),
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

type Readiness = Pick<Template, 'runsNow' | 'hasSample' | 'needs'>;

/** Says whether a template can run in the service, or which providers it needs. */
export function describeReadiness({ runsNow, needs }: Readiness): string {
  if (runsNow) return 'runs now';
  // A node may also be turned off, or unknown to this version of the service.
  if (needs.length === 0) return 'cannot run here';
  return `needs ${needs.map(cleanText).join(', ')}`;
}

/** Returns what the user can do with the copy of a template. */
export function describeNextStep({ runsNow, hasSample, needs }: Readiness, id: string): readonly string[] {
  const command = `graphwright run ${id}`;
  if (runsNow) return [`Run it with: ${command}`];
  const addKeys = needs.map(name => `graphwright credentials add ${cleanText(name)}`).join(', ');
  return [
    ...(hasSample ? [`See its sample results with: ${command} --use-sample`] : []),
    needs.length === 0
      ? `Some of its nodes cannot run in this service. To see why, run it with: ${command}`
      : `To run its models, add a key first with: ${addKeys}`,
  ];
}
