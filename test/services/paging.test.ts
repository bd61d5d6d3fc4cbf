// Tests how lists are cut into pages: by their limit, and by the size of their items.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byNumber, readPage } from '../../src/services/paging.ts';

interface Row {
  readonly number: number;
  readonly text: string;
  readonly is_beyond?: boolean;
}

/** Reads all pages, and returns the numbers of the rows on each. */
async function readPages(rows: readonly Row[], limit: number): Promise<readonly (readonly number[])[]> {
  const pages: (readonly number[])[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await readPage(
      { limit, ...(cursor == null ? {} : { cursor }) },
      byNumber('number'),
      async ({ after, limit }) => rows.filter(row => row.number > (after ?? -1)).slice(0, limit),
      ({ number, text }: Row) => ({ number, text }),
    );
    pages.push(page.data.map(({ number }) => number));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

const createRows = (sizes: readonly number[]): readonly Row[] =>
  sizes.map((size, number) => ({ number, text: 'x'.repeat(size) }));

describe('a page', () => {
  it('has as many items as its limit', async () => {
    assert.deepEqual(await readPages(createRows([1, 1, 1, 1, 1]), 2), [[0, 1], [2, 3], [4]]);
    assert.deepEqual(await readPages(createRows([1, 1]), 2), [[0, 1]]);
    assert.deepEqual(await readPages([], 2), [[]]);
  });

  it('has fewer items if they have more than 4 MB, and at least one', async () => {
    const rows = createRows([1_500_000, 1_500_000, 1_500_000, 9_000_000, 9_000_000, 1]);
    assert.deepEqual(await readPages(rows, 10), [[0, 1], [2], [3], [4], [5]]);
  });

  it('ends before a row that the database did not fit into the page', async () => {
    const [first, second] = createRows([1, 1]) as [Row, Row];
    assert.deepEqual(await readPages([first, { ...second, is_beyond: true }], 10), [[0], [1]]);
  });
});
