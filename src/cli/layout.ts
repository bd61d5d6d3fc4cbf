// `graphwright layout`: lays out a workflow file like POST /workflows/{id}/layout, without service or database.
import { writeFile } from 'node:fs/promises';
import { drawGraph } from '../graph/draw/draw.ts';
import { applyLayout, layoutGraph } from '../graph/layout/layout.ts';
import { readSettings } from '../lib/settings.ts';
import { createNodeCatalog } from '../nodes/catalog.ts';
import { type Command, UsageError } from './command.ts';
import { parseFileGraph, readWorkflowFile } from './workflow-file.ts';

const DIRECTIONS = ['RIGHT', 'DOWN'] as const;

export const layout: Command = async ({ args, options, terminal }) => {
  const [path = ''] = args;
  const file = await readWorkflowFile(path);
  const direction = DIRECTIONS.find(name => name === (options.direction ?? 'RIGHT'));
  if (direction === undefined) throw new UsageError(`--direction must be one of ${DIRECTIONS.join(', ')}.`);
  const catalog = createNodeCatalog(readSettings());
  const parsed = parseFileGraph(path, file, catalog);
  const layout = layoutGraph(parsed.graph, catalog, { direction });
  const graph = applyLayout(parsed.graph, layout);
  const text = `${JSON.stringify({ ...file, ...graph }, null, 2)}\n`;
  if (typeof options.svg === 'string')
    await writeFile(options.svg, drawGraph(graph, catalog, { title: file.name }));
  if (typeof options.out === 'string') await writeFile(options.out, text);
  const writtenFiles = [options.out, options.svg].filter(target => typeof target === 'string');
  if (options.json === true) terminal.print(JSON.stringify(layout, null, 2));
  else if (options.out === undefined && options.svg === undefined) terminal.print(text.trimEnd());
  else
    terminal.print(
      `${layout.moves.length} of ${graph.nodes.length} nodes moved. Wrote ${writtenFiles.join(' and ')}.`,
    );
  for (const warning of layout.warnings) terminal.note(warning);
};
