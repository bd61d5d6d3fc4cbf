// Finds reasons why an app cannot use a graph, and refuses writes of a workflow that would break its app.
import { CONTROLS_BY_TYPE, getControl } from '../graph/app-controls.ts';
import type { Graph, GraphNode } from '../graph/types.ts';
import { AppError, type Issue } from '../lib/errors.ts';
import type { Tx } from '../store/db.ts';
import { findUser } from '../store/users.ts';
import { type AppInput, type AppRow, type AppSettings, findCurrentAppSettings } from './store/apps.ts';

/** Lists the reasons why the app cannot use the graph, with JSON pointers into the settings of the app. */
export function findAppIssues(
  { inputs, outputs }: Pick<AppSettings, 'inputs' | 'outputs'>,
  graph: Graph,
): readonly Issue[] {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  return [
    ...inputs.flatMap((input, index) => findInputIssues(input, nodes.get(input.nodeId), `/inputs/${index}`)),
    ...outputs.flatMap((nodeId, index) =>
      nodes.has(nodeId)
        ? []
        : [
            createIssue(
              `/outputs/${index}`,
              nodeId,
              'unknown_node',
              'This output is not a node of the workflow.',
            ),
          ],
    ),
  ];
}

/**
 * Lists the reason why nobody can run the app as the user who saved it: the account is disabled. Its visitors then run and upload nothing,
 * also with a token of an embedding page. An owner who saves the app runs it as themselves.
 */
export async function listAccountIssues(
  tx: Tx,
  { user_id }: Pick<AppRow, 'user_id'>,
): Promise<readonly Issue[]> {
  const user = await findUser(tx, user_id);
  if (user?.disabled === false) return [];
  const message =
    'The account of the user who saved this app is disabled. Save the app to run it with your account.';
  return [{ path: '/userId', code: 'account_disabled', message }];
}

const createIssue = (path: string, nodeId: string, code: string, message: string): Issue => ({
  path,
  nodeId,
  code,
  message,
});

function findInputIssues(input: AppInput, node: GraphNode | undefined, path: string): readonly Issue[] {
  const { nodeId, control, min, max, choices } = input;
  const createMemberIssue = (member: string, message: string) =>
    createIssue(`${path}/${member}`, nodeId, 'invalid_request', message);
  if (node === undefined)
    return [
      createIssue(`${path}/nodeId`, nodeId, 'unknown_node', 'This input is not a node of the workflow.'),
    ];
  const { nodeType, config } = node.data;
  const allowed = CONTROLS_BY_TYPE[nodeType];
  if (allowed === undefined)
    return [createIssue(`${path}/nodeId`, nodeId, 'not_an_input', 'This node is not an input node.')];
  const itemType = config?.itemType ?? 'TEXT';
  if (nodeType === 'input:list' && itemType !== 'TEXT' && itemType !== 'NUMBER')
    return [
      createIssue(
        `${path}/nodeId`,
        nodeId,
        'not_an_input',
        'An app can show lists of texts or numbers only.',
      ),
    ];
  const usedControl = getControl(input, nodeType);
  const issues: Issue[] = [];
  if (control !== undefined && !allowed.includes(control))
    issues.push(
      createMemberIssue('control', `This input can be shown as ${allowed.join(', ')}, not as ${control}.`),
    );
  if (usedControl === 'choice' && (choices === undefined || choices.length === 0))
    issues.push(createMemberIssue('choices', 'List the choices of this input.'));
  if (usedControl === 'choice' && nodeType === 'input:number' && choices?.some(choice => !isNumber(choice)))
    issues.push(createMemberIssue('choices', 'The choices of a number must be numbers.'));
  if (usedControl === 'slider' && (min === undefined || max === undefined))
    issues.push(createMemberIssue(min === undefined ? 'min' : 'max', 'A slider needs min and max.'));
  if (min !== undefined && max !== undefined && min >= max)
    issues.push(createMemberIssue('max', 'max must be greater than min.'));
  return issues;
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Throws 409 `app_would_break` if an enabled app runs the workflow's current version and cannot use the new graph. */
export async function requireAppCompatible(tx: Tx, workflowId: string, getGraph: () => Graph): Promise<void> {
  const settings = await findCurrentAppSettings(tx, workflowId);
  if (settings === undefined) return;
  const issues = findAppIssues(settings, getGraph());
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError(
    'app_would_break',
    `The app of this workflow uses ${first.nodeId ?? 'a node'}: ${first.message} Change the app first, or save with breakApp=true, after which the app cannot run.`,
    { issues },
  );
}
