// `graphwright lint`: checks a workflow file as a write would, without service or database.
import { hasErrors, type LintIssue } from '../graph/issues.ts';
import { lintGraph } from '../graph/lint/lint.ts';
import { normalizeConfig } from '../graph/normalize.ts';
import { parseGraph } from '../graph/parse.ts';
import { readSettings } from '../lib/settings.ts';
import { makeCatalog } from '../nodes/catalog.ts';
import type { Command } from './command.ts';
import { WorkFailed } from './failure.ts';
import type { Terminal } from './terminal.ts';
import { cleanText } from './text-width.ts';
import { readWorkflowFile, type WorkflowFile } from './workflow-file.ts';

export const lint: Command = async ({ args, options, terminal }) => {
  const [path = ''] = args;
  const issues = inspect(await readWorkflowFile(path));
  const ok = !hasErrors(issues);
  if (options.json === true) terminal.print(JSON.stringify({ ok, issues }, null, 2));
  else printIssues(path, issues, terminal);
  if (!ok) throw new WorkFailed('The workflow has errors.');
};

function inspect(file: WorkflowFile): readonly LintIssue[] {
  const parsed = parseGraph(file.nodes, file.edges);
  if (!parsed.ok) return parsed.issues;
  const catalog = makeCatalog(readSettings());
  const { graph, issues } = normalizeConfig(parsed.graph, catalog);
  return [...lintGraph(graph, catalog, { previous: undefined, unplaced: parsed.unplaced }), ...issues];
}

function printIssues(path: string, issues: readonly LintIssue[], terminal: Terminal): void {
  for (const { severity, code, path: place, message, suggestion } of issues) {
    const word = severity === 'error' ? terminal.paint('red', 'error') : terminal.paint('yellow', 'warning');
    const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    terminal.print(
      `${word}  ${terminal.paint('dim', `${path}${place ?? ''}`)}  ${cleanText(`${message}${hint}`)} (${code})`,
    );
  }
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  terminal.print(
    issues.length === 0
      ? `${path}: nothing to find fault with.`
      : `${errors} errors, ${issues.length - errors} warnings.`,
  );
}
