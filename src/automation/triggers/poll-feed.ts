// Polls a feed: new items start runs, once each by their guid.
import { sha256Hex } from '../../lib/crypto.ts';
import { toError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { listSeen, type TriggerRow } from '../../store/automation/triggers.ts';
import { mapInputs } from './map-inputs.ts';
import { storeFailedPoll, storeFound } from './new-items.ts';
import { type FeedItem, type ParsedFeed, parseFeed } from './parse-feed.ts';
import type { TriggerConfig } from './trigger.schema.ts';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10_000_000;
const MAX_LABEL_CHARS = 100;

export async function pollFeed(deps: RunDeps, trigger: TriggerRow, { url }: TriggerConfig): Promise<void> {
  const feed = await fetchFeed(deps, url ?? '').catch(toError);
  if (feed instanceof Error) await storeFailedPoll(deps, trigger, describe(feed));
  else await storeFeed(deps, trigger, feed);
}

async function fetchFeed({ fetch }: RunDeps, url: string): Promise<ParsedFeed> {
  const response = await fetch.stream(url, {
    headers: { accept: 'application/rss+xml, application/atom+xml, application/xml, text/xml;q=0.9' },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  if (response.status !== 200) {
    // Leaving the iteration closes the connection.
    for await (const _ of response.body) break;
    throw new Error(`The feed responded with status ${response.status}.`);
  }
  const charset = /;\s*charset="?([\w.:-]{1,40})/i.exec(response.headers['content-type'] ?? '')?.[1];
  return parseFeed(response.body, charset);
}

function describe(err: Error): string {
  const isTooLarge = err instanceof FetchError && err.code === 'too_large';
  return isTooLarge ? `The feed is larger than ${MAX_BYTES / 1_000_000} MB.` : err.message;
}

interface Keyed {
  readonly item: FeedItem;
  readonly guid: string;
  /** Found again if the feed changes the guid of an item. */
  readonly print: string;
}

/** Stores the items by guid, and by link, title and time. */
async function storeFeed(deps: RunDeps, trigger: TriggerRow, { items, dropped }: ParsedFeed): Promise<void> {
  const byGuid = new Map(items.map(item => [item.guid, toKeyed(item)]));
  const keyed = [...byGuid.values()];
  await storeFound(deps, trigger, async (tx, { inputs }) => {
    const listed = keyed.flatMap(({ guid, print }) => [guid, print]);
    const seen = await listSeen(tx, trigger.id, listed);
    const unknown = keyed.filter(({ guid }) => !seen.has(guid));
    const fresh = unknown.filter(({ print }) => !seen.has(print));
    const renamed = unknown.length - fresh.length;
    // Feeds list the newest item first.
    const runs = fresh.toReversed().map(({ item, guid }) => ({
      item: guid,
      label: (item.title || item.guid).slice(0, MAX_LABEL_CHARS),
      inputs: mapInputs(inputs, item),
    }));
    return {
      listed,
      seen: listed,
      fresh: runs,
      notes: [
        ...(renamed === 0 ? [] : [`The feed changed the guid of ${renamed} items. They are not run again.`]),
        ...(dropped === 0
          ? []
          : [`The feed has ${dropped} items more than the ${items.length} that are read.`]),
      ],
    };
  });
}

function toKeyed(item: FeedItem): Keyed {
  return {
    item,
    guid: sha256Hex(`guid ${item.guid}`),
    print: sha256Hex(`link ${JSON.stringify([item.link, item.title, item.publishedAt])}`),
  };
}
