// `graphwright templates`: lists the gallery of a running service, and copies a template to a new workflow.
import type { Template } from '../../sdk/src/schemas.ts';
import { readSettings } from '../lib/settings.ts';
import { connect } from './client.ts';
import { type Command, WorkFailed } from './command.ts';
import { alignColumns, cleanText, cutText } from './terminal/text-width.ts';

interface Page {
  readonly data: readonly Template[];
  readonly nextCursor: string | null;
}

/** More are not printed. */
const MAX_TEMPLATES = 1000;

export const listTemplates: Command = async ({ options, terminal, signal }) => {
  const client = connect(readSettings(), signal);
  const query = new URLSearchParams({ limit: '200' });
  if (typeof options.shelf === 'string') query.set('shelf', options.shelf);
  if (options.runsNow === true) query.set('runsNow', 'true');
  const templates: Template[] = [];
  for (let cursor: string | null = ''; cursor !== null && templates.length < MAX_TEMPLATES; ) {
    if (cursor !== '') query.set('cursor', cursor);
    const page: Page = await client.get<Page>(`/templates?${query}`);
    templates.push(...page.data);
    cursor = page.nextCursor;
  }
  if (options.json === true) return terminal.print(JSON.stringify(templates, null, 2));
  const rows = templates.map(({ id, title, runsNow, needs }) => [
    terminal.paint('bold', cleanText(id)),
    cleanText(title),
    terminal.paint('dim', runsNow ? 'runs now' : `needs ${needs.map(cleanText).join(', ')}`),
  ]);
  for (const line of alignColumns(rows))
    terminal.print(terminal.isLive ? cutText(line, terminal.width) : line);
  if (templates.length === 0) throw new WorkFailed('No templates found.');
};

export const applyTemplate: Command = async ({ args, options, terminal, signal }) => {
  const [name = ''] = args;
  const id = name.startsWith('tpl_') ? name : `tpl_${name}`;
  const body = typeof options.name === 'string' ? { name: options.name } : {};
  const client = connect(readSettings(), signal);
  const workflow = await client.post<{ readonly id: string; readonly name: string }>(
    `/templates/${encodeURIComponent(id)}/duplicate`,
    body,
  );
  if (options.json === true) return terminal.print(JSON.stringify(workflow, null, 2));
  terminal.print(`${workflow.id}  ${cleanText(workflow.name)}`);
  terminal.note(`Run it with: graphwright run ${workflow.id}`);
};
