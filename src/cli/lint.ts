// `graphwright lint`: checks a workflow file like a write would, without service or database.
import { inspectGraph } from '../graph/inspect.ts';
import { type Findings, toTruncation } from '../graph/issues.ts';
import { readSettings } from '../lib/settings.ts';
import { makeCatalog } from '../nodes/catalog.ts';
import type { Command } from './command.ts';
import { WorkFailed } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';
import { cleanText } from './terminal/text-width.ts';
import { readWorkflowFile } from './workflow-file.ts';

export const lint: Command = async ({ args, options, terminal }) => {
  const [path = ''] = args;
  const file = await readWorkflowFile(path);
  const { ok, issues, total } = inspectGraph(makeCatalog(readSettings()), file.nodes, file.edges);
  if (options.json === true)
    terminal.print(JSON.stringify({ ok, issues, ...toTruncation({ issues, total }) }, null, 2));
  else printIssues(path, { issues, total }, terminal);
  if (!ok) throw new WorkFailed('The workflow has errors.');
};

function printIssues(path: string, { issues, total }: Findings, terminal: Terminal): void {
  for (const { severity, code, path: place, message } of issues) {
    const label = severity === 'error' ? terminal.paint('red', 'error') : terminal.paint('yellow', 'warning');
    terminal.print(
      `${label}  ${terminal.paint('dim', `${path}${place ?? ''}`)}  ${cleanText(message)} (${code})`,
    );
  }
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  terminal.print(
    issues.length === 0
      ? `${path}: no issues found.`
      : `${errors} errors, ${issues.length - errors} warnings.`,
  );
  if (total > issues.length) terminal.print(`Only the first ${issues.length} of ${total} issues are listed.`);
}
