// Tests how the states of a component's nodes become the state of the node that calls it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FlowNodeData } from '../../../editor/canvas/card-cache.ts';
import { hasPreview } from '../../../editor/canvas/card-parts.ts';
import { combineComponentStates, findBoardNodeId } from '../../../editor/session/component-states.ts';
import { findShownState } from '../../../editor/session/runs/results.ts';
import {
  type BoardNodeState,
  combineResults,
  toBoardItem,
} from '../../../editor/session/runs/stored-results.ts';
import type { NodeState } from '../../../sdk/src/types.ts';
import { COMPONENT_CALL } from '../../../src/graph/components/calls.ts';
import type { GraphNode } from '../../../src/graph/types.ts';

function state(nodeId: string, status: NodeState['status'], more: Partial<NodeState> = {}): BoardNodeState {
  const label = nodeId.split('/').at(-1) ?? '';
  const times = { startedAt: null, finishedAt: null };
  return {
    nodeId,
    runNodeId: nodeId,
    label,
    status,
    error: null,
    ...times,
    credits: 0,
    cached: false,
    attempt: 1,
    progress: 0,
    ...more,
  };
}

const combine = (...states: readonly NodeState[]) =>
  combineComponentStates(new Map(states.map(state => [state.nodeId, state])));

const inRun = (executionId: string | undefined, nodes: ReadonlyMap<string, BoardNodeState>) => ({
  executionId,
  isChosen: false,
  nodes,
  callStates: combineComponentStates(nodes),
});

const call = (shownOutput?: string): GraphNode => ({
  id: 'look',
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: {
    label: 'Look',
    category: 'logic',
    nodeType: COMPONENT_CALL,
    config: {
      outputs: [
        { id: 'text', label: 'Text', type: 'TEXT' },
        { id: 'image', label: 'Image', type: 'IMAGE' },
      ],
    },
    ...(shownOutput === undefined ? {} : { shownOutput }),
  },
});

describe('the combined state of a component call', () => {
  it('counts the nodes of the component at every level', () => {
    const calls = combine(
      state('plain', 'COMPLETED'),
      state('look/a', 'COMPLETED'),
      state('look/b', 'RUNNING', { progress: 0.5 }),
      state('look/deep/c', 'PENDING'),
      state('look/deep/d', 'PENDING'),
    );
    assert.deepEqual([...calls.keys()], ['look', 'look/deep']);
    const look = calls.get('look');
    assert.deepEqual(look?.progressCounts, { done: 1, total: 4 });
    assert.equal(look?.progress, 1.5 / 4);
    assert.deepEqual([look?.status, calls.get('look/deep')?.status], ['RUNNING', 'PENDING']);
  });

  it('combines the statuses of the nodes', () => {
    const statusOf = (...statuses: readonly NodeState['status'][]) =>
      combine(...statuses.map((status, index) => state(`look/${index}`, status))).get('look')?.status;
    assert.equal(statusOf('COMPLETED', 'COMPLETED', 'SKIPPED'), 'COMPLETED');
    assert.equal(statusOf('SKIPPED', 'SKIPPED'), 'SKIPPED');
    assert.equal(statusOf('COMPLETED', 'CANCELLED'), 'CANCELLED');
    assert.equal(statusOf('COMPLETED', 'PENDING'), 'RUNNING');
    assert.equal(statusOf('COMPLETED', 'WAITING', 'PENDING'), 'WAITING');
    assert.equal(statusOf('RUNNING', 'WAITING'), 'RUNNING');
    assert.equal(statusOf('FAILED', 'RUNNING'), 'FAILED');
  });

  it('has the first failure with its path, the waiting nodes and all credits', () => {
    const look = combine(
      state('look/deep/c', 'FAILED', { error: 'Later.', finishedAt: '2026-01-01T00:00:02Z', credits: 2 }),
      state('look/deep/d', 'FAILED', { error: 'First.', finishedAt: '2026-01-01T00:00:01Z', credits: 3 }),
      state('look/ask', 'WAITING'),
    ).get('look');
    assert.equal(look?.error, 'd (deep/d): First.');
    assert.deepEqual(look?.waitingNodeIds, ['look/ask']);
    assert.equal(look?.credits, 5);
    assert.equal(look?.finishedAt, null);
  });

  it('has space for a picture only if the shown output is a picture', () => {
    const hasSpace = (shownOutput?: string): boolean =>
      hasPreview({
        node: call(shownOutput),
        outputs: [{ type: 'TEXT' }, { type: 'IMAGE' }],
      } as unknown as FlowNodeData);
    assert.equal(hasSpace(), true);
    assert.equal(hasSpace('text'), false);
  });

  it('shows the result of the chosen output from this run or an earlier run', () => {
    const earlier = {
      isCurrent: false,
      executionId: 'ex_1',
      outputUrl: '/m/1',
      finishedAt: '2026-01-01T00:00:00Z',
    };
    const nodes = new Map([['look/text', state('look/text', 'COMPLETED', { text: 'fox' })]]);
    const results = new Map([['look/image', earlier as never]]);
    const shown = combineResults(results, inRun('ex_2', nodes)).get('look');
    assert.equal(findShownState(call(), shown)?.outputUrl, '/m/1', 'a picture comes first');
    assert.equal(findShownState(call(), shown)?.isOutdated, true);
    assert.equal(findShownState(call('text'), shown)?.text, 'fox');
    assert.equal(findShownState(call('gone'), shown)?.nodeId, 'look/image');
    const resultsWithoutRun = combineResults(results, inRun(undefined, new Map())).get('look');
    assert.equal(findShownState(call(), resultsWithoutRun)?.outputUrl, '/m/1');
  });

  it('keeps the id that a node has in the run of the caller', () => {
    const [inside, stored] = ['a/b/c', 'a/b/d'].map(id => toBoardItem(state(id, 'COMPLETED'), 'a/b/'));
    assert.ok(inside !== undefined && stored !== undefined);
    const results = new Map([[stored.nodeId, { ...stored, isCurrent: true, executionId: 'ex_1' } as never]]);
    const shown = combineResults(results, inRun('ex_2', new Map([[inside.nodeId, inside]])));
    assert.deepEqual(
      [...shown].map(([id, { runNodeId }]) => [id, runNodeId]),
      [
        ['d', 'a/b/d'],
        ['c', 'a/b/c'],
      ],
    );
    assert.equal(toBoardItem(state('x/c', 'COMPLETED'), 'a/b/'), undefined);
  });

  it('is shown at the node on the board that contains the path', () => {
    const node = (id: string) => ({ id }) as GraphNode;
    const board = { fields: {}, nodes: [node('look'), node('a/b')], edges: [] };
    assert.equal(findBoardNodeId(board, 'look/deep/c'), 'look');
    assert.equal(findBoardNodeId(board, 'a/b'), 'a/b');
    assert.equal(findBoardNodeId(board, 'gone/c'), undefined);
  });
});

describe('the display of a node with a result of a later run', () => {
  const finishedAt = '2026-01-01T00:00:01Z';
  const nodes = new Map([['picture', state('picture', 'COMPLETED', { finishedAt, outputUrl: '/m/1' })]]);
  const show = (later: object, isChosen = false) => {
    const stored = { executionId: 'ex_2', finishedAt: '2026-01-01T00:00:02Z', outputUrl: '/m/2', ...later };
    const results = new Map([['picture', stored as never]]);
    const display = combineResults(results, { ...inRun('ex_1', nodes), isChosen }).get('picture');
    return [display?.outputUrl, display?.isOutdated];
  };

  it('is the later result if it is current', () => {
    assert.deepEqual(show({ isCurrent: true }), ['/m/2', false]);
  });

  it('is the own result, out of date, if the later one is not current', () => {
    assert.deepEqual(show({ isCurrent: false }), ['/m/1', true]);
  });

  it('is the own result of a run that the user chose, or that ended later', () => {
    assert.deepEqual(show({ isCurrent: true }, true), ['/m/1', false]);
    assert.deepEqual(show({ isCurrent: true, finishedAt: '2026-01-01T00:00:00Z' }), ['/m/1', false]);
  });
});
