// Tests how records of runs are truncated to 16 MB: all long values become equally short.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { JsonText, stringifyJson } from '../../../src/lib/json-text.ts';
import { truncateNodeState, truncateRecord } from '../../../src/runs/read/truncate-record.ts';

const bytes = (value: unknown): number => Buffer.byteLength(stringifyJson(value));

it('leaves a record that fits unchanged', () => {
  const record = { nodeStates: [{ nodeId: 'a', text: 'x'.repeat(1000) }], outputs: [] };
  assert.equal(truncateRecord(record, 2000), record);
});

it('truncates long values to the same length and reports their nodes as truncated', () => {
  const record = {
    id: 'ex_1',
    nodeStates: [
      { nodeId: 'long', text: 'é"\n'.repeat(5000) },
      { nodeId: 'list', texts: ['short', '😀'.repeat(9000)] },
      { nodeId: 'json', value: { deep: ['y'.repeat(20_000)] } },
      { nodeId: 'exact', value: new JsonText(`[${'12345678901234567890,'.repeat(1000)}1]`) },
      { nodeId: 'short', text: 'stays', value: 12 },
    ],
    outputs: [{ nodeId: 'out', label: 'Out', type: 'TEXT', text: 'z'.repeat(30_000) }],
  };
  const truncated = truncateRecord(record, 20_000);
  assert.ok(bytes(truncated) <= 20_000, String(bytes(truncated)));
  assert.ok(bytes(truncated) > 15_000, String(bytes(truncated)));
  const truncatedIds = truncated.nodeStates.filter(state => 'truncated' in state).map(({ nodeId }) => nodeId);
  assert.deepEqual(truncatedIds, ['long', 'list', 'json', 'exact']);
  assert.deepEqual(truncated.nodeStates[4], record.nodeStates[4]);
  assert.equal(truncated.nodeStates[1]?.texts?.[0], 'short');
  // The text is truncated between characters, so it is well-formed.
  assert.ok(stringifyJson(truncated).isWellFormed());
  assert.ok(record.nodeStates[0]?.text?.startsWith(String(truncated.nodeStates[0]?.text)));
});

it('truncates the values of ports like other values', () => {
  const ports = [
    { id: 'a', type: 'TEXT', text: 'x'.repeat(9000) },
    { id: 'b', type: 'TEXT', text: 'stays' },
  ];
  const [state] = truncateRecord({ nodeStates: [{ nodeId: 'two', text: 'x'.repeat(9000), ports }] }, 8000)
    .nodeStates as unknown as [{ readonly truncated?: boolean; readonly ports: typeof ports }];
  assert.equal(state.truncated, true);
  const [first, second] = state.ports;
  assert.deepEqual([first?.id, second], ['a', ports[1]]);
  assert.ok((first?.text.length ?? 0) > 3000 && (first?.text.length ?? 0) < 4000);
});

it('omits the outputs if their labels alone exceed the limit', () => {
  const output = { nodeId: 'a', label: 'L'.repeat(500), type: 'NUMBER', value: 1 };
  const record = { nodeStates: [{ nodeId: 'a' }], outputs: Array.from({ length: 100 }, () => output) };
  const truncated = truncateRecord(record, 10_000);
  assert.deepEqual(truncated.outputs, []);
  assert.deepEqual(truncated.nodeStates, [{ nodeId: 'a', truncated: true }]);
});

it('truncates a single node state to 16 MB', () => {
  const state = truncateNodeState({ nodeId: 'a', text: 'x'.repeat(17_000_000) });
  assert.ok(bytes(state) <= 16_000_000);
  assert.equal('truncated' in state, true);
});
