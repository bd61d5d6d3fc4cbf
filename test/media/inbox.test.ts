// Tests the limits of listing an inbox in a bucket.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { createGuardedFetch, type GuardedFetch } from '../../src/lib/fetch.ts';
import { openBucketInbox } from '../../src/media/inbox.ts';

/** A page that contains only a folder and refers to another page. */
const PAGE = `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>
  <NextContinuationToken>next</NextContinuationToken><Contents><Key>inbox/a/</Key></Contents></ListBucketResult>`;

let requests = 0;
const server = createServer((_req, res) => {
  requests++;
  res.end(PAGE);
});
let url = '';
let client: GuardedFetch;
before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createGuardedFetch({ allowPrivate: false, trustedUrls: [url] });
});
after(async () => {
  await client.close();
  await new Promise(resolve => server.close(resolve));
});

it('openBucketInbox lists at most 20 pages and reports that there are more', async () => {
  const signingKey = { accessKeyId: 'id', secretAccessKey: 'secret', region: 'us-east-1' };
  const inbox = openBucketInbox(
    { name: 'media', endpoint: url, forcePathStyle: true, signingKey },
    client,
    'inbox/',
  );
  const listing = await inbox.list(AbortSignal.timeout(60_000));
  assert.deepEqual(listing, { files: [], isTruncated: true });
  assert.equal(requests, 20);
});
