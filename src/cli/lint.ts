// `graphwright lint`: checks a workflow file like a write would, without service or database.
import type { Catalog } from '../graph/catalog.ts';
import { isComponentCall } from '../graph/components/calls.ts';
import { ComponentError } from '../graph/components/component-error.ts';
import { readComponentTree } from '../graph/components/component-tree.ts';
import {
  createFileFinder,
  type FindInFile,
  listFileCalls,
  mapFileCalls,
  orderFileComponents,
} from '../graph/components/file-components.ts';
import { getInterface } from '../graph/components/interface.ts';
import { type Inspection, inspectGraph } from '../graph/inspect.ts';
import {
  hasErrors,
  type IssueList,
  type LintIssue,
  mergeIssues,
  NO_ISSUES,
  quote,
  toTruncation,
} from '../graph/issues.ts';
import { readSettings } from '../lib/settings.ts';
import { createNodeCatalog } from '../nodes/catalog.ts';
import { type Command, CommandFailedError } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';
import { cleanText } from './terminal/text-width.ts';
import { type ComponentFile, readWorkflowFile, type WorkflowFile } from './workflow-file.ts';

export const lint: Command = async ({ args, options, terminal }) => {
  const [path = ''] = args;
  const issueList = inspectFile(createNodeCatalog(readSettings()), await readWorkflowFile(path));
  const ok = !hasErrors(issueList.issues);
  if (options.json === true)
    terminal.print(JSON.stringify({ ok, issues: issueList.issues, ...toTruncation(issueList) }, null, 2));
  else printIssues(path, issueList, terminal);
  if (!ok) throw new CommandFailedError('The workflow has errors.');
};

/** Checks the workflow, and before it the components in the file that it calls. */
function inspectFile(catalog: Catalog, file: WorkflowFile): IssueList {
  const components = file.components ?? [];
  const find = createFileFinder(components);
  const { ordered, circular } = orderFileComponents(file.nodes, find);
  if (circular !== undefined) {
    const message = `The component ${quote(circular.name)} contains itself. Remove one of the calls.`;
    return toIssueList({ severity: 'error', code: 'component_circle', path: '/components', message });
  }
  const inspected = new Map<ComponentFile, Inspection>();
  const findInspection: FindInspection = call => inspected.get(find(call) as ComponentFile);
  const inspect = ({ nodes, edges }: Pick<WorkflowFile, 'nodes' | 'edges'>): Inspection =>
    inspectGraph(catalog, writeInterfaces(catalog, nodes, findInspection), edges);
  for (const component of ordered) inspected.set(component, inspect(component));
  const root = inspect(file);
  const componentIssues = ordered.map(component => {
    const { issues, total } = inspected.get(component) as Inspection;
    const index = components.indexOf(component);
    return {
      issues: issues.map(issue => ({ ...issue, path: `/components/${index}${issue.path ?? ''}` })),
      total,
    };
  });
  const missing = listMissingComponents(file, find);
  const expansion = root.ok ? findExpansionIssue(catalog, root, findInspection) : NO_ISSUES;
  return mergeIssues(...componentIssues, root, missing, expansion);
}

type FindInspection = (call: Parameters<FindInFile<ComponentFile>>[0]) => Inspection | undefined;

/** Writes the ports of components that are in the file into their calls, as the service does. */
function writeInterfaces(catalog: Catalog, nodes: unknown, findInspection: FindInspection): unknown {
  return mapFileCalls(nodes, call => {
    const component = findInspection(call);
    return component === undefined ? undefined : { ...getInterface(component.graph, catalog) };
  });
}

/** Returns a warning for each called component that is not in the file. */
function listMissingComponents({ nodes }: WorkflowFile, find: FindInFile<ComponentFile>): IssueList {
  const issues = listFileCalls(nodes)
    .filter(call => find(call) === undefined)
    .map(
      ({ nodeId, workflowId, version }): LintIssue => ({
        severity: 'warning',
        code: 'component_not_in_file',
        nodeId,
        message: `The component ${quote(workflowId)} (version ${version}) is not in the file, so only the service can check its ports. Export the workflow again to include it.`,
      }),
    );
  return { issues, total: issues.length };
}

/** Finds components that are nested too deeply or have too many nodes together. */
function findExpansionIssue(
  catalog: Catalog,
  { graph }: Inspection,
  findInspection: FindInspection,
): IssueList {
  try {
    readComponentTree(graph, {
      catalog,
      isExpanded: node =>
        isComponentCall(node) && listFileCalls([node]).some(call => findInspection(call) !== undefined),
      findGraph: call => (findInspection(call) as Inspection).graph,
      measure: measured => JSON.stringify(measured).length,
    });
    return NO_ISSUES;
  } catch (err) {
    if (!(err instanceof ComponentError)) throw err;
    const [{ nodeId } = { nodeId: '' }] = err.issues;
    return toIssueList({ severity: 'error', code: err.code, nodeId, message: err.message });
  }
}

const toIssueList = (issue: LintIssue): IssueList => ({ issues: [issue], total: 1 });

function printIssues(path: string, { issues, total }: IssueList, terminal: Terminal): void {
  for (const { severity, code, path: pointer, message } of issues) {
    const label = severity === 'error' ? terminal.paint('red', 'error') : terminal.paint('yellow', 'warning');
    terminal.print(
      `${label}  ${terminal.paint('dim', `${path}${pointer ?? ''}`)}  ${cleanText(message)} (${code})`,
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
