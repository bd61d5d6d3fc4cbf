// Tests the cache of rendered pages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createPageCache,
  HTML,
  type PageResponse,
  toPageResponse,
} from '../../../src/http/pages/page-responses.ts';

describe('createPageCache', () => {
  it('renders a page once for concurrent and later readers', async () => {
    const cache = createPageCache();
    const { promise, resolve } = Promise.withResolvers<PageResponse>();
    let renderings = 0;
    const get = (): Promise<PageResponse> =>
      cache.get('a', () => {
        renderings++;
        return promise;
      });
    const readers = [get(), get(), get()];
    const page = toPageResponse('<p>', HTML);
    resolve(page);
    assert.deepEqual(await Promise.all(readers), [page, page, page]);
    assert.equal(await get(), page);
    assert.equal(renderings, 1);
  });

  it('renders a page again after a failure', async () => {
    const cache = createPageCache();
    const fail = (): Promise<PageResponse> => cache.get('a', () => Promise.reject(new Error('broken')));
    await Promise.all([assert.rejects(fail(), /broken/), assert.rejects(fail(), /broken/)]);
    const page = toPageResponse('<p>', HTML);
    assert.equal(await cache.get('a', async () => page), page);
  });
});
