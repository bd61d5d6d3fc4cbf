// Tracks a run by the events of its stream, and formats the run as lines.
import type { Execution as FullExecution, NodeState as FullState } from '../../../sdk/src/schemas.ts';
import { drawBar, formatMs } from './progress.ts';
import type { Style, Terminal } from './terminal.ts';
import { alignColumns, cleanText, getTextWidth, padText, truncateText } from './text-width.ts';

/** The fields of a node's state that the command line shows. */
export type NodeState = Pick<
  FullState,
  'nodeId' | 'label' | 'status' | 'error' | DisplayedField | 'cached' | 'progress'
>;
type DisplayedField =
  | 'outputUrl'
  | 'outputUrls'
  | 'text'
  | 'texts'
  | 'value'
  | 'values'
  | 'startedAt'
  | 'finishedAt'
  | 'truncated';

export type Execution = Pick<
  FullExecution,
  'id' | 'workflowId' | 'status' | 'outputs' | 'error' | 'createdAt' | 'startedAt' | 'finishedAt'
> & { readonly nodeStates: readonly NodeState[] };

/** An event of the run's stream. */
export interface RunChange {
  readonly event: string;
  readonly data: unknown;
}

const TERMINAL_STATUSES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED']);
const hasEnded = ({ status }: { readonly status: string }): boolean => TERMINAL_STATUSES.has(status);

const STATUS_STYLES: Readonly<Record<string, readonly [mark: string, style: Style]>> = {
  PENDING: ['·', 'dim'],
  RUNNING: ['●', 'cyan'],
  WAITING: ['◌', 'yellow'],
  COMPLETED: ['✔', 'green'],
  FAILED: ['✖', 'red'],
  SKIPPED: ['–', 'dim'],
  CANCELLED: ['✖', 'yellow'],
};
const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const SPINNER_MS = 80;
/** Longer text results are truncated. */
const MAX_TEXT_COLUMNS = 120;

/** Returns the run after one event of its stream, or undefined before the first snapshot. */
export function applyEvent(run: Execution | undefined, { event, data }: RunChange): Execution | undefined {
  if (event === 'snapshot') return data as Execution;
  if (run === undefined) return undefined;
  if (event === 'execution') return { ...run, ...(data as Partial<Execution>) };
  // `node` contains a complete state, `progress` only id and fraction.
  const change = data as Partial<NodeState>;
  return {
    ...run,
    nodeStates: run.nodeStates.map(state =>
      state.nodeId === change.nodeId ? { ...state, ...change } : state,
    ),
  };
}

/** Returns the lines of a live view: one per node, then the progress bar of the run. */
export function drawRun(run: Execution, terminal: Terminal, nowMs: number): string[] {
  const rows = run.nodeStates.map(state => {
    const [mark, style] = STATUS_STYLES[state.status] ?? ['?', 'dim'];
    const symbol =
      state.status === 'RUNNING' ? (SPINNER[Math.floor(nowMs / SPINNER_MS) % SPINNER.length] ?? mark) : mark;
    const label = cleanText(state.label);
    return [
      ` ${terminal.paint(style, symbol)} ${state.status === 'PENDING' ? terminal.paint('dim', label) : label}`,
      terminal.paint('dim', describeTime(state, nowMs)),
      state.status === 'RUNNING' && state.progress > 0
        ? drawBar(state.progress, terminal)
        : drawResult(state, terminal),
    ];
  });
  const endedCount = run.nodeStates.filter(
    state => !['PENDING', 'RUNNING', 'WAITING'].includes(state.status),
  ).length;
  const total = run.nodeStates.length;
  const elapsed = formatMs(
    (run.finishedAt === null ? nowMs : Date.parse(run.finishedAt)) - Date.parse(run.createdAt),
  );
  const style = hasEnded(run) ? (STATUS_STYLES[run.status]?.[1] ?? 'red') : 'cyan';
  const summary = ` ${drawBar(total === 0 ? 1 : endedCount / total, terminal)} ${endedCount} of ${total} nodes  ${terminal.paint(style, run.status)}  ${terminal.paint('dim', elapsed)}`;
  return [...alignColumns(rows), summary];
}

/** Returns a node's change as one line for a pipe, e.g. `COMPLETED Picture 1.2 s http://…`. */
export function describeChange(state: NodeState, terminal: Terminal): string {
  const result = drawResult(state, terminal);
  const cells = [padText(state.status, 9), cleanText(state.label), describeTime(state), result];
  return cells.filter(cell => cell !== '').join('  ');
}

/** Returns the nodes of a finished run as a table that fits the terminal. */
export function drawTable(run: Execution, terminal: Terminal): string[] {
  const rows = run.nodeStates.map(state => [
    cleanText(state.label),
    terminal.paint(
      STATUS_STYLES[state.status]?.[1] ?? 'dim',
      state.status.toLowerCase() + (state.cached ? ', cached' : ''),
    ),
    describeTime(state),
    drawResult(state, terminal),
  ]);
  const [head = '', ...lines] = alignColumns([['node', 'status', 'time', 'result'], ...rows], 3);
  const columns = terminal.isLive ? terminal.width - 1 : Number.POSITIVE_INFINITY;
  const rule = '─'.repeat(Math.min(columns, Math.max(...[head, ...lines].map(getTextWidth))));
  return [
    terminal.paint('bold', head),
    terminal.paint('dim', rule),
    ...lines.map(line => truncateText(line, columns)),
  ];
}

/** Returns a sentence about values that the record contains only in part, or undefined if there are none. */
export function describeTruncated({ id, nodeStates }: Execution): string | undefined {
  const nodeIds = nodeStates.filter(({ truncated }) => truncated === true).map(({ nodeId }) => nodeId);
  if (nodeIds.length === 0) return undefined;
  const othersNote = nodeIds.length === 1 ? '' : ` (and ${nodeIds.length - 1} more)`;
  return `The record is limited to 16 MB, so results of the node ${cleanText(nodeIds[0] ?? '')}${othersNote} are truncated. GET /api/v1/executions/${id}/outputs/{nodeId} returns them complete.`;
}

function drawResult(state: NodeState, terminal: Terminal): string {
  if (state.error !== null) return terminal.paint('red', cleanText(state.error));
  const results = state.outputUrls ?? state.texts ?? state.values;
  if (results !== undefined && results.length > 1) return terminal.paint('dim', `${results.length} results`);
  const value =
    state.outputUrl ?? state.text ?? (state.value === undefined ? '' : JSON.stringify(state.value));
  return state.outputUrl === undefined ? truncateText(cleanText(value), MAX_TEXT_COLUMNS) : value;
}

function describeTime(state: NodeState, nowMs?: number): string {
  if (state.cached) return 'cached';
  if (state.startedAt === null) return '';
  const endMs = state.finishedAt === null ? nowMs : Date.parse(state.finishedAt);
  return endMs === undefined ? '' : formatMs(endMs - Date.parse(state.startedAt));
}
