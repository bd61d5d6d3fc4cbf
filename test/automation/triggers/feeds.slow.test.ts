// Tests triggers that start a run for each new item of an RSS or Atom feed.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import {
  createTrigger,
  type HistoryEntry,
  listHistory,
  listRuns,
  pollNow,
  type Trigger,
  waitForHistory,
} from './support.ts';

const GRAPH = {
  nodes: [
    node('title', 'input:text', { value: 'none' }),
    node('file', 'input:text', { value: 'none' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('title.text > out.input')],
};

interface Item {
  readonly guid: string;
  readonly title: string;
}
const HEAD = '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Feed</title>';
const toXml = ({ guid, title }: Item): string =>
  `<item><title>${title}</title><link>https://example.com/${title}</link><guid>${guid}</guid>
   <pubDate>Mon, 23 Nov 2026 10:00:00 GMT</pubDate><description><![CDATA[About <b>${title}</b>]]></description>
   <enclosure url="https://example.com/${guid}.mp3" type="audio/mpeg"/></item>`;
const rss = (items: readonly Item[]): string => `${HEAD}${items.map(toXml).join('')}</channel></rss>`;

let service: TestService;
let server: Receiver;
let workflow: string;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  server = await startReceiver();
});
after(async () => {
  await service.close();
  await server.close();
});
beforeEach(async () => {
  workflow = await service.createWorkflow(GRAPH);
});

const serve = (text: string | Buffer, type = 'application/rss+xml'): void =>
  server.answer(res => res.writeHead(200, { 'content-type': type }).end(text));
const createFeedTrigger = (more: object = {}): Promise<Trigger> =>
  createTrigger(service, workflow, {
    kind: 'feed',
    config: { url: `${server.url}/feed.xml`, ...more },
    inputs: { title: '/title', file: '/enclosures/0/url' },
  });
/** Polls the feed and returns the reason of the next skipped entry in the history. */
async function pollAndReadReason(trigger: Trigger): Promise<string> {
  const isSkipped = ({ outcome }: HistoryEntry): boolean => outcome === 'skipped';
  const skippedCountBefore = (await listHistory(service, trigger.id)).filter(isSkipped).length;
  await pollNow(service, trigger.id);
  const entries = await waitForHistory(service, trigger.id, 'skipped', skippedCountBefore + 1);
  return entries.at(-1)?.reason ?? '';
}
const listTitles = async ({ id }: Trigger): Promise<readonly unknown[]> =>
  (await listHistory(service, id))
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ reason }) => reason)
    .toReversed();

describe('a feed trigger', () => {
  it('starts a run for each new item, oldest first', async () => {
    const oldItems = [{ guid: 'g1', title: 'Old' }];
    serve(rss(oldItems));
    const trigger = await createFeedTrigger();
    assert.match(
      (await waitForHistory(service, trigger.id, 'skipped', 1))[0]?.reason ?? '',
      /existing items, which start nothing: 1\./,
    );
    serve(rss([{ guid: 'g3', title: 'Newest' }, { guid: 'g2', title: 'Newer' }, ...oldItems]));
    await pollNow(service, trigger.id);
    const entries = await waitForHistory(service, trigger.id, 'accepted', 2);
    assert.deepEqual(
      entries.map(({ reason }) => reason),
      ['Newer', 'Newest'],
    );
    const run = await service.waitForStatus(entries[0]?.executionId ?? '');
    assert.deepEqual(
      [run.trigger, run.inputs],
      ['feed', { title: 'Newer', file: 'https://example.com/g2.mp3' }],
    );
    await pollNow(service, trigger.id);
    serve(rss([{ guid: 'g4', title: 'Last' }]));
    await pollNow(service, trigger.id);
    await waitForHistory(service, trigger.id, 'accepted', 3);
    assert.deepEqual(await listTitles(trigger), ['Newer', 'Newest', 'Last']);
  });

  it('reads an Atom feed in its declared encoding', async () => {
    const atom = (entries: string): Buffer =>
      Buffer.from(
        `<?xml version="1.0" encoding="ISO-8859-1"?><feed xmlns="http://www.w3.org/2005/Atom"><title>F</title>${entries}</feed>`,
        'latin1',
      );
    serve(atom(''), 'application/atom+xml');
    const trigger = await createFeedTrigger();
    await waitForHistory(service, trigger.id, 'skipped', 1);
    serve(
      atom(
        '<entry><id>tag:1</id><title>Café</title><link rel="enclosure" href="https://example.com/a.mp4"/><link href="https://example.com/1"/><updated>2026-11-23T10:00:00Z</updated><content type="html">&lt;p&gt;Hi&nbsp;&lt;/p&gt;</content></entry>',
      ),
      'application/atom+xml',
    );
    await pollNow(service, trigger.id);
    const [entry] = await waitForHistory(service, trigger.id, 'accepted', 1);
    const run = await service.waitForStatus(entry?.executionId ?? '');
    assert.deepEqual(run.inputs, { title: 'Café', file: 'https://example.com/a.mp4' });
  });

  it('starts no runs for known items whose guid changes', async () => {
    const items = (prefix: string): readonly Item[] =>
      ['A', 'B', 'C'].map((title, index) => ({ guid: `${prefix}${index}`, title }));
    serve(rss(items('x')));
    const trigger = await createFeedTrigger();
    await waitForHistory(service, trigger.id, 'skipped', 1);
    for (const prefix of ['y', 'z']) {
      serve(rss(items(prefix)));
      assert.match(await pollAndReadReason(trigger), /changed the guid of 3 items/);
    }
    assert.deepEqual(await listTitles(trigger), []);
  });

  it('starts at most 50 runs per poll', async () => {
    serve(rss([]));
    const trigger = await createFeedTrigger();
    await waitForHistory(service, trigger.id, 'skipped', 1);
    serve(rss(Array.from({ length: 70 }, (_, index) => ({ guid: `m${index}`, title: `M${index}` }))));
    assert.match(
      await pollAndReadReason(trigger),
      /beyond the first 50, which start runs, were skipped: 20\./,
    );
    await waitForHistory(service, trigger.id, 'accepted', 50);
    assert.equal((await listRuns(service, workflow, trigger.id)).length, 50);
  });

  it('refuses an item whose inputs are too large, and starts the others', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const wideWorkflow = await service.createWorkflow({
      nodes: [...ids.map(id => node(id, 'input:text')), node('out', 'output:preview')],
      edges: [edge('t0.text > out.input')],
    });
    serve(rss([]));
    const trigger = await createTrigger(service, wideWorkflow, {
      kind: 'feed',
      config: { url: `${server.url}/feed.xml` },
      inputs: Object.fromEntries(ids.map(id => [id, '/title'])),
    });
    await waitForHistory(service, trigger.id, 'skipped', 1);
    serve(
      rss([
        { guid: 'small', title: 'Small' },
        { guid: 'large', title: 'x'.repeat(45_000) },
      ]),
    );
    await pollNow(service, trigger.id);
    const [refusal] = await waitForHistory(service, trigger.id, 'refused', 1);
    assert.match(refusal?.reason ?? '', /^x{100}: The inputs .* have more than 4194304 bytes in all\./);
    await waitForHistory(service, trigger.id, 'accepted', 1);
    assert.deepEqual(await listTitles(trigger), ['Small']);
  });
});

describe('feeds that hang', () => {
  const MAX_POLLS = 8;

  it('occupy eight slots of their account, and leave some for the feeds of others', async () => {
    const responses: (() => void)[] = [];
    server.answer(res => responses.push(() => res.writeHead(404).end()));
    const triggers: Trigger[] = [];
    while (triggers.length < MAX_POLLS + 3) triggers.push(await createFeedTrigger());
    await waitUntil('the slots to be occupied', () => server.open.now === MAX_POLLS);
    const other = await service.createUser();
    await createTrigger(other, await other.createWorkflow(GRAPH), {
      kind: 'feed',
      config: { url: `${server.url}/other.xml` },
      inputs: {},
    });
    await waitUntil('the poll of the other account', () =>
      server.received.some(({ path }) => path === '/other.xml'),
    );
    assert.equal(server.open.now, MAX_POLLS + 1);
    server.answer(res => res.writeHead(404).end());
    for (const respond of responses) respond();
    for (const { id } of triggers) await waitForHistory(service, id, 'skipped', 1);
  });
});

describe('a feed trigger on an invalid feed', () => {
  const invalidFeeds: Readonly<Record<string, readonly [serve: () => void, reason: RegExp]>> = {
    'of more than 10 MB': [
      () => serve(rss([{ guid: 'large', title: 'x'.repeat(10_500_000) }])),
      /larger than 10 MB/,
    ],
    'without an end': [
      () =>
        server.answer(res => {
          res.writeHead(200, { 'content-type': 'application/rss+xml' });
          res.write('<rss><channel>');
          const timer = setInterval(() => res.write('<item><title>x</title></item>'.repeat(10_000)), 5);
          res.once('close', () => clearInterval(timer));
        }),
      /larger than 10 MB/,
    ],
    'of a billion entities': [
      () =>
        serve(
          `<!DOCTYPE rss [<!ENTITY a "ha">${Array.from(
            { length: 9 },
            (_, index) =>
              `<!ENTITY ${String.fromCharCode(98 + index)} "${`&${String.fromCharCode(97 + index)};`.repeat(10)}">`,
          ).join('')}]><rss><channel><item><guid>e</guid><title>&j;</title></item></channel></rss>`,
        ),
      /not well-formed XML: .*entity/,
    ],
    'with many attributes': [
      () => serve(`<rss ${Array.from({ length: 101 }, (_, index) => `a${index}=""`).join(' ')}></rss>`),
      /more than 100 attributes/,
    ],
    'nested without an end': [() => serve(`<rss>${'<a>'.repeat(100_000)}`), /nested too deeply/],
    'that is an HTML page': [
      () => serve('<html><body>Hello</body></html>', 'text/html'),
      /neither RSS nor Atom/,
    ],
    'that is truncated': [() => serve('<rss><channel><item>'), /not well-formed XML/],
    'that responds with status 500': [() => server.answer(res => res.writeHead(500).end('x')), /status 500/],
    'in an unknown encoding': [() => serve('<?xml version="1.0" encoding="x-nothing"?><rss/>'), /encoding/i],
  };
  for (const [name, [prepare, reason]] of Object.entries(invalidFeeds))
    it(`starts no run and records the reason for a feed ${name}`, async () => {
      prepare();
      const trigger = await createFeedTrigger();
      assert.match((await waitForHistory(service, trigger.id, 'skipped', 1))[0]?.reason ?? '', reason);
      assert.deepEqual(await listTitles(trigger), []);
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
      // Repeated polls do not record the same reason again.
      await pollNow(service, trigger.id);
      serve(rss([{ guid: 'good', title: 'Good' }]));
      await pollNow(service, trigger.id);
      await waitForHistory(service, trigger.id, 'skipped', 2);
      assert.ok((await listHistory(service, trigger.id)).length <= 3);
    });

  it('ignores items after the first 1,000', async () => {
    serve(rss([]));
    const trigger = await createFeedTrigger();
    await waitForHistory(service, trigger.id, 'skipped', 1);
    serve(
      rss([
        { guid: 'long', title: 'y'.repeat(60_000) },
        ...Array.from({ length: 1200 }, (_, index) => ({ guid: `n${index}`, title: `N${index}` })),
      ]),
    );
    await pollAndReadReason(trigger);
    const reasons = (await listHistory(service, trigger.id)).map(({ reason }) => reason ?? '');
    assert.ok(
      reasons.some(reason => /more than 1000 items. The other 201 are ignored/.test(reason)),
      reasons.join('\n'),
    );
  });
});
