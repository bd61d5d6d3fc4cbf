// Tests how records of runs are cut to 16 MB: all long values become equally short.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { JsonText, stringifyJson } from '../../src/lib/json-text.ts';
import { cutRecord, cutState } from '../../src/runs/cut-record.ts';

const bytes = (value: unknown): number => Buffer.byteLength(stringifyJson(value));

it('leaves a record that fits unchanged', () => {
  const record = { nodeStates: [{ nodeId: 'a', text: 'x'.repeat(1000) }], outputs: [] };
  assert.equal(cutRecord(record, 2000), record);
});

it('cuts long values to the same length and reports their nodes as truncated', () => {
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
  const cut = cutRecord(record, 20_000);
  assert.ok(bytes(cut) <= 20_000, String(bytes(cut)));
  assert.ok(bytes(cut) > 15_000, String(bytes(cut)));
  const truncatedIds = cut.nodeStates.filter(state => 'truncated' in state).map(({ nodeId }) => nodeId);
  assert.deepEqual(truncatedIds, ['long', 'list', 'json', 'exact']);
  assert.deepEqual(cut.nodeStates[4], record.nodeStates[4]);
  assert.equal(cut.nodeStates[1]?.texts?.[0], 'short');
  // The text is cut between characters, so it is well-formed.
  assert.ok(stringifyJson(cut).isWellFormed());
  assert.ok(record.nodeStates[0]?.text?.startsWith(String(cut.nodeStates[0]?.text)));
});

it('omits the outputs if their labels alone exceed the limit', () => {
  const output = { nodeId: 'a', label: 'L'.repeat(500), type: 'NUMBER', value: 1 };
  const record = { nodeStates: [{ nodeId: 'a' }], outputs: Array.from({ length: 100 }, () => output) };
  const cut = cutRecord(record, 10_000);
  assert.deepEqual(cut.outputs, []);
  assert.deepEqual(cut.nodeStates, [{ nodeId: 'a', truncated: true }]);
});

it('cuts a single node state to 16 MB', () => {
  const state = cutState({ nodeId: 'a', text: 'x'.repeat(17_000_000) });
  assert.ok(bytes(state) <= 16_000_000);
  assert.equal('truncated' in state, true);
});
