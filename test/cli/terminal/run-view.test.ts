// Tests how events change a run, and how a run is drawn as lines and tables.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatMs } from '../../../src/cli/terminal/progress.ts';
import {
  applyEvent,
  describeChange,
  describeTruncated,
  drawRun,
  drawTable,
  type Execution,
  type NodeState,
} from '../../../src/cli/terminal/run-view.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import { getTextWidth } from '../../../src/cli/terminal/text-width.ts';

const ignore = (): void => undefined;
const pipe: Terminal = {
  isLive: false,
  width: 80,
  print: ignore,
  note: ignore,
  paint: (_, text) => text,
  draw: ignore,
  erase: ignore,
};

const state = (nodeId: string, rest: Partial<NodeState> = {}): NodeState => ({
  nodeId,
  label: `Node ${nodeId}`,
  status: 'PENDING',
  error: null,
  startedAt: null,
  finishedAt: null,
  cached: false,
  progress: 0,
  ...rest,
});

const START = '2026-01-01T00:00:00.000Z';
const run: Execution = {
  id: 'ex_1',
  workflowId: 'wf_1',
  status: 'RUNNING',
  nodeStates: [state('a'), state('b')],
  outputs: [],
  error: null,
  createdAt: START,
  startedAt: START,
  finishedAt: null,
};

describe('applyEvent', () => {
  it('applies snapshots, node states, progress and partial runs', () => {
    const events = [
      { event: 'snapshot', data: run },
      { event: 'node', data: state('b', { status: 'RUNNING', startedAt: START }) },
      { event: 'progress', data: { nodeId: 'b', progress: 0.5 } },
      { event: 'execution', data: { status: 'COMPLETED', finishedAt: START } },
    ];
    let after: Execution | undefined;
    for (const event of events) after = applyEvent(after, event);
    assert.equal(after?.status, 'COMPLETED');
    assert.deepEqual(after?.nodeStates, [
      state('a'),
      state('b', { status: 'RUNNING', startedAt: START, progress: 0.5 }),
    ]);
  });

  it('ignores events before the snapshot', () => {
    assert.equal(applyEvent(undefined, { event: 'node', data: state('a') }), undefined);
  });
});

describe('describeTruncated', () => {
  it('names the nodes with truncated results and the URL of the complete results', () => {
    const nodeStates = [state('a', { truncated: true }), state('b'), state('c', { truncated: true })];
    assert.equal(
      describeTruncated({ ...run, nodeStates }),
      'The record is limited to 16 MB, so results of the node a (and 1 more) are truncated. GET /api/v1/executions/ex_1/outputs/{nodeId} returns them complete.',
    );
  });

  it('returns undefined for a complete record', () => {
    assert.equal(describeTruncated(run), undefined);
  });
});

describe('drawRun', () => {
  it('draws a line per node and the progress of the run', () => {
    const nodeStates = [
      state('a', {
        status: 'COMPLETED',
        startedAt: START,
        finishedAt: '2026-01-01T00:00:00.012Z',
        text: 'hello',
      }),
      state('b', { status: 'RUNNING', startedAt: START, progress: 0.5 }),
    ];
    const lines = drawRun({ ...run, nodeStates }, pipe, Date.parse(START) + 1500);
    assert.deepEqual(lines, [
      ' ✔ Node a  12 ms  hello',
      ` ${lines[1]?.[1]} Node b  1.5 s  ━━━━━━━━━━──────────`,
      ' ━━━━━━━━━━────────── 1 of 2 nodes  RUNNING  1.5 s',
    ]);
  });
});

describe('drawTable', () => {
  it('has a row per node with its error or results', () => {
    const nodeStates = [
      state('a', { status: 'COMPLETED', cached: true, values: [1, 2, 3] }),
      state('b', { status: 'FAILED', error: 'No\nfunds.' }),
    ];
    assert.deepEqual(drawTable({ ...run, nodeStates }, pipe), [
      'node     status              time     result',
      '─'.repeat(47),
      'Node a   completed, cached   cached   3 results',
      'Node b   failed                       No funds.',
    ]);
  });

  it('is not wider than the terminal', () => {
    const nodeStates = [state('a', { text: 'x'.repeat(500) })];
    for (const line of drawTable({ ...run, nodeStates }, { ...pipe, isLive: true, width: 40 }))
      assert.ok(getTextWidth(line) < 40, line);
  });
});

it('describeChange returns one line without control characters', () => {
  const change = state('a', {
    status: 'FAILED',
    label: 'Bad\u001b[2J',
    error: 'It broke.',
    startedAt: START,
    finishedAt: START,
  });
  assert.equal(describeChange(change, pipe), 'FAILED     Bad  0 ms  It broke.');
});

it('formatMs chooses the unit by the length of the duration', () => {
  assert.deepEqual([-5, 7.4, 1234, 59_999, 185_000].map(formatMs), [
    '0 ms',
    '7 ms',
    '1.2 s',
    '60.0 s',
    '3 min 05 s',
  ]);
});
