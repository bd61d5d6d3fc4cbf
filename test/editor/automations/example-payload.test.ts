// Tests the example payload of a webhook.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createExamplePayload } from '../../../editor/pages/automations/example-payload.ts';

it('an example payload has a value at each pointer', () => {
  assert.deepEqual(createExamplePayload(['/order/customer/name', '/order/id']), {
    order: { customer: { name: 'Hello' }, id: 'Hello' },
  });
  assert.deepEqual(createExamplePayload(['/items/1/text', '/a~1b']), {
    items: ['Hello', { text: 'Hello' }],
    'a/b': 'Hello',
  });
  // An empty pointer selects the whole payload.
  for (const pointers of [[], ['']]) assert.deepEqual(createExamplePayload(pointers), { title: 'Hello' });
});
