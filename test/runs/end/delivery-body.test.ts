// Tests that the event of a run says so if its outputs are left out because they are too large.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Step } from '../../../src/engine/types.ts';
import type { Plan } from '../../../src/graph/plan.ts';
import { buildDelivery } from '../../../src/runs/end/delivery-body.ts';

/** Builds the event of a run whose only node has a text of this length. */
function buildEvent(chars: number) {
  const node = { id: 'a', label: 'A', category: 'output', dependents: [] };
  const step = {
    status: 'COMPLETED',
    startedAtMs: 0,
    outputs: { text: { type: 'TEXT', text: 'x'.repeat(chars) } },
  };
  const webhook = JSON.stringify({ url: 'https://example.com', secret: null, include: ['outputs'] });
  const delivery = buildDelivery(
    {
      row: { id: 'ex_1', workflow_id: 'wf_1', webhook },
      request: {},
      plan: { nodes: [node] } as unknown as Plan,
    },
    'COMPLETED',
    new Map([['a', step as unknown as Step]]),
    '2026-01-01T00:00:00.000Z',
  );
  return JSON.parse(delivery?.body ?? '');
}

it('an event of up to 16 MB has the outputs', () => {
  const event = buildEvent(7_900_000);
  assert.equal(event.outputs[0].text.length, 7_900_000);
  assert.equal('outputsOmitted' in event, false);
});

it('a larger event has the complete node states, and says that it has no outputs', () => {
  const event = buildEvent(8_100_000);
  assert.equal(event.nodeStates[0].text.length, 8_100_000);
  assert.equal('outputs' in event, false);
  assert.equal(event.outputsOmitted, true);
});
