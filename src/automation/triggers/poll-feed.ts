// Polls a feed. Each item, identified by its guid, starts one run.

import { findCharset } from '../../lib/charset.ts';
import { sha256Hex } from '../../lib/crypto.ts';
import { cutText } from '../../lib/cut-text.ts';
import { toError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { storeFailedPoll, storeFoundItems } from './new-items.ts';
import { type FeedItem, type ParsedFeed, parseFeed } from './parse-feed.ts';
import { listSeen, type TriggerRow } from './store.ts';
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
    response.close();
    throw new Error(`The feed responded with status ${response.status}.`);
  }
  return parseFeed(response.body, findCharset(response.headers['content-type']));
}

function describe(err: Error): string {
  const isTooLarge = err instanceof FetchError && err.code === 'too_large';
  return isTooLarge ? `The feed is larger than ${MAX_BYTES / 1_000_000} MB.` : err.message;
}

interface KeyedItem {
  readonly item: FeedItem;
  readonly guid: string;
  /** A hash of link, title and time, which identifies an item whose guid changes. */
  readonly fingerprint: string;
}

/** Stores the new items. An item is new if neither its guid nor its fingerprint was seen before. */
async function storeFeed(deps: RunDeps, trigger: TriggerRow, { items, dropped }: ParsedFeed): Promise<void> {
  const itemsByGuid = new Map<string, KeyedItem>();
  for (const item of items) {
    await yieldTurn();
    itemsByGuid.set(item.guid, toKeyedItem(item));
  }
  const keyedItems = [...itemsByGuid.values()];
  await storeFoundItems(deps, trigger, async tx => {
    const listedItems = keyedItems.flatMap(({ guid, fingerprint }) => [guid, fingerprint]);
    const seenItems = await listSeen(tx, trigger.id, listedItems);
    const withNewGuid = keyedItems.filter(({ guid }) => !seenItems.has(guid));
    const unseenItems = withNewGuid.filter(({ fingerprint }) => !seenItems.has(fingerprint));
    const renamedCount = withNewGuid.length - unseenItems.length;
    // Feeds list the newest item first.
    const newItems = unseenItems.toReversed().map(({ item, guid }) => ({
      item: guid,
      label: cutText(item.title || item.guid, MAX_LABEL_CHARS),
      payload: item,
    }));
    return {
      listedItems,
      seenItems: listedItems,
      newItems,
      notes: [
        ...(renamedCount === 0
          ? []
          : [`The feed changed the guid of ${renamedCount} items. They are not run again.`]),
        ...(dropped === 0
          ? []
          : [`The feed has more than ${items.length} items. The other ${dropped} are ignored.`]),
      ],
    };
  });
}

function toKeyedItem(item: FeedItem): KeyedItem {
  return {
    item,
    guid: sha256Hex(`guid ${item.guid}`),
    fingerprint: sha256Hex(`link ${JSON.stringify([item.link, item.title, item.publishedAt])}`),
  };
}
