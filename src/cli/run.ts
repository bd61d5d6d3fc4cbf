// `graphwright run`: saves a workflow file if given, starts a run, follows it and prints its results.
import { getInputNames, indexInputs } from '../graph/input-names.ts';
import type { Json } from '../graph/types.ts';
import { toError } from '../lib/errors.ts';
import { parseExactJson } from '../lib/exact-numbers.ts';
import { isId } from '../lib/ids.ts';
import { readSettings } from '../lib/settings.ts';
import { createServiceClient } from './client.ts';
import { type Command, CommandFailedError, type OptionValue, UsageError } from './command.ts';
import { parsePairOption } from './options.ts';
import { followRun } from './terminal/follow.ts';
import { describeTruncated, drawTable, type Execution } from './terminal/run-view.ts';
import type { Terminal } from './terminal/terminal.ts';
import { cleanText } from './terminal/text-width.ts';
import { IMPORT_PATH, readWorkflowFile, type WorkflowFile } from './workflow-file.ts';

interface SavedWorkflow extends WorkflowFile {
  readonly id: string;
}

export const run: Command = async ({ args, options, terminal, signal }) => {
  const [target = ''] = args;
  // The first Ctrl-C does not abort requests. It cancels the run, and the command follows the run to its end.
  const client = createServiceClient(readSettings(), new AbortController().signal);
  const file = isId('workflow', target) ? undefined : await readWorkflowFile(target);
  const source = file ?? (await client.get<SavedWorkflow>(`/workflows/${target}`));
  const inputs = parseInputOptions(options.input, source);
  const { id } =
    file === undefined ? { id: target } : await client.post<SavedWorkflow>(getCreatePath(file), file);
  const useSample = options.useSample === true;
  const handle = await client.run(id, { inputs, ...(useSample && { useSample }) });
  const isJson = options.json === true;
  if (!isJson)
    terminal.print(
      `${terminal.paint('bold', cleanText(source.name))}  ${terminal.paint('dim', `${id}  ${handle.id}`)}`,
    );

  const cancel = (): void => {
    handle
      .cancel()
      .catch((thrown: unknown) => terminal.note(`The run could not be canceled: ${toError(thrown).message}`));
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const execution = await followRun(handle, isJson ? undefined : terminal);
  if (isJson) terminal.print(JSON.stringify(execution, null, 2));
  else printResult(execution, terminal);
  const truncated = describeTruncated(execution);
  if (truncated !== undefined) terminal.note(`graphwright: ${truncated}`);
  if (execution.status !== 'COMPLETED') throw new CommandFailedError(`The run ended as ${execution.status}.`);
};

/** Returns the path that creates a workflow from a file. An export, with components and media, is imported. */
const getCreatePath = ({ components, media }: WorkflowFile): string =>
  components === undefined && media === undefined ? '/workflows' : IMPORT_PATH;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Parsers of input texts by the type of the node. Other types take the text itself. */
const INPUT_PARSERS: Readonly<Record<string, (text: string) => Json>> = {
  'input:number': text => {
    const parsed = Number(text);
    if (text.trim() === '' || !Number.isFinite(parsed)) throw new Error('must be a number');
    // The service keeps all digits.
    return JSON_NUMBER.test(text.trim()) ? (parseExactJson(text) as Json) : parsed;
  },
  'input:json': text => parseExactJson(text) as Json,
  'input:list': text => {
    const parsed = parseExactJson(text) as Json;
    if (!Array.isArray(parsed)) throw new Error('must be a JSON array');
    return parsed as Json;
  },
};

/** Parses `input=value` texts as the run's `inputs`. Throws UsageError for a malformed text or an unknown input. */
export function parseInputOptions(
  option: OptionValue,
  { nodes }: Pick<WorkflowFile, 'nodes'>,
): Readonly<Record<string, Json>> {
  // A file may lack labels, which the service completes, or even data, which it refuses.
  const complete = nodes.flatMap(node => {
    const { nodeType, label = '' } = (node as Partial<typeof node>).data ?? {};
    return typeof nodeType === 'string' ? [{ ...node, data: { ...node.data, nodeType, label } }] : [];
  });
  const types = new Map(complete.map(({ id, data }) => [id, data.nodeType]));
  const findInput = indexInputs(complete);
  const entries = parsePairOption('--input', option, 'input=value').map(([key, value]): [string, Json] => {
    const id = findInput(key);
    if (id === undefined) {
      const names = [...getInputNames(complete).values()];
      throw new UsageError(
        `--input ${key}: the workflow has no such input${names.length === 0 ? '' : `; it has ${names.join(', ')}`}.`,
      );
    }
    try {
      return [id, INPUT_PARSERS[types.get(id) ?? '']?.(value) ?? value];
    } catch (thrown) {
      throw new UsageError(`--input ${key}: ${toError(thrown).message}.`, { cause: thrown });
    }
  });
  return Object.fromEntries(entries);
}

function printResult(execution: Execution, terminal: Terminal): void {
  // In a pipe, `followRun` has already printed a line per node.
  if (terminal.isLive) for (const line of drawTable(execution, terminal)) terminal.print(line);
  for (const { label, url, text, value } of execution.outputs) {
    terminal.print(`${terminal.paint('bold', cleanText(label))}: ${url ?? text ?? JSON.stringify(value)}`);
  }
  if (execution.error !== null) terminal.note(`graphwright: ${cleanText(execution.error.message)}`);
  else if (execution.status !== 'COMPLETED')
    terminal.note(`graphwright: the run ended as ${execution.status}.`);
}
