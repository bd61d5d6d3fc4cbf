// Tests that a trigger that changes while its poll waits for a slot starts runs with the changed settings.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { advanceTrigger } from '../../../src/automation/triggers/advance-trigger.ts';
import type { OutboundSlots } from '../../../src/services/outbound-slots.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { createWorkflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let server: Receiver;
before(async () => {
  test = await createTestApp({ env: { ALLOW_PRIVATE_NETWORK: 'true' } });
  owner = await test.createUser();
  server = await startReceiver();
});
after(async () => {
  await test.close();
  await server.close();
});

const serve = (...titles: readonly string[]): void => {
  const items = titles.map(title => `<item><guid>${title}</guid><title>${title}</title></item>`);
  const feed = `<rss version="2.0"><channel>${items.join('')}</channel></rss>`;
  server.answer(res => res.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed));
};

it('starts the runs of a poll with the settings that the trigger had at the poll', async () => {
  const workflow = await createWorkflow(owner);
  serve('Old');
  const body = { kind: 'feed', config: { url: `${server.url}/feed.xml` }, maxCredits: 10 };
  const trigger = await owner.request<{ id: string }>('POST', `/workflows/${workflow.id}/triggers`, body);
  assert.equal(trigger.status, 201, trigger.body.error);
  const { id } = trigger.body;
  const change = async (fields: object): Promise<void> => {
    assert.equal((await owner.request('PATCH', `/triggers/${id}`, fields)).status, 200);
  };
  // The first poll starts nothing.
  await advanceTrigger(test.deps, id);
  serve('New', 'Old');
  await change({ isActive: false });
  await change({ isActive: true });
  const outboundSlots: OutboundSlots = {
    async acquire(call) {
      await change({ maxCredits: 5 });
      return test.deps.outboundSlots.acquire(call);
    },
  };
  await advanceTrigger({ ...test.deps, outboundSlots }, id);
  const { rows } = await test.deps.db.query<{ request: string }>(
    'select request::text from executions where workflow_id = $1',
    [workflow.id],
  );
  assert.deepEqual(
    rows.map(({ request }) => (JSON.parse(request) as { maxCredits?: number }).maxCredits),
    [5],
  );
});
