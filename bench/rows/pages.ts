// Measures content pages: a 20 KB markdown article read repeatedly, and many articles read for the first time.
import { makeMarkdown } from '../../test/support/pages/content.ts';
import { measureGetsPerSecond } from '../http-load.ts';
import { median, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type BenchService,
  CONTENT_SECRET,
  makeFolder,
  removeFolder,
  startPlainService,
} from '../service.ts';

const CONNECTIONS = 50;
const MARKDOWN = makeMarkdown(20_480);

export async function* runPagesRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const publish = async (slug: string): Promise<void> => {
      const response = await service.fetch('/api/content/webhook', {
        method: 'POST',
        headers: { authorization: `Bearer ${CONTENT_SECRET}` },
        body: JSON.stringify({
          slug,
          title: slug,
          type: 'ARTICLE',
          isPublished: true,
          body_markdown: MARKDOWN,
        }),
      });
      if (response.status !== 201) throw new Error(await response.text());
    };
    const pageCount = isShort ? 10 : 1500;
    for (let i = 0; i < pageCount; i++) await publish(`page-${i}`);

    const firstReads = await runLoad(CONNECTIONS, { count: pageCount }, async i => {
      const response = await service.fetch(`/blog/page-${i}`);
      if (!response.ok) throw new Error(`${response.status} for page-${i}`);
      await response.arrayBuffer();
    });
    yield {
      figure: 'articles of 20 KB markdown, each read for the first time, 50 connections',
      value: firstReads.callCount / firstReads.seconds,
      unit: 'pages/s',
      target: { value: 500, is: 'at least' },
      note: `${pageCount} pages, whose markdown was rendered at publication`,
    };

    const rates: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 3); round++)
      rates.push(
        await measureGetsPerSecond(`${service.url}/blog/page-0`, { connections: CONNECTIONS, isShort }),
      );
    yield {
      figure: 'an article of 20 KB markdown from the cache of rendered parts, 50 connections',
      value: median(rates),
      unit: 'pages/s',
      target: { value: 3000, is: 'at least' },
      note: `one query per batch of requests; rounds ${rates.map(Math.round).join(', ')}`,
    };

    const page = await readCompressed(service, '/blog/page-0');
    const styleSheet = await readCompressed(
      service,
      /<link rel="stylesheet" href="([^"]+)">/.exec(page.text)?.[1] ?? '',
    );
    yield {
      figure: 'size of that page with its style sheet (gzip)',
      value: (page.sentBytes + styleSheet.sentBytes) / 1000,
      unit: 'KB',
      target: { value: 40, is: 'at most' },
      note: `uncompressed ${Buffer.byteLength(page.text)} bytes and ${Buffer.byteLength(styleSheet.text)} bytes`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

/** Returns the text of the resource and the size of the compressed response. */
async function readCompressed(
  service: BenchService,
  path: string,
): Promise<{ readonly text: string; readonly sentBytes: number }> {
  const response = await service.fetch(path, { headers: { 'accept-encoding': 'gzip' } });
  return { text: await response.text(), sentBytes: Number(response.headers.get('content-length')) };
}
