// Measures content pages: a 20 KB markdown article read repeatedly, and many articles read for the first time.
import { makeMarkdown } from '../../test/support/pages/content.ts';
import { getsPerSecond } from '../http-load.ts';
import { load, median } from '../load.ts';
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
    const pages = isShort ? 10 : 1500;
    for (let i = 0; i < pages; i++) await publish(`page-${i}`);

    const cold = await load(CONNECTIONS, { count: pages }, async i => {
      const response = await service.fetch(`/blog/page-${i}`);
      if (!response.ok) throw new Error(`${response.status} for page-${i}`);
      await response.arrayBuffer();
    });
    yield {
      figure: 'articles of 20 KB markdown, each read for the first time, 50 connections',
      value: cold.done / cold.seconds,
      unit: 'pages/s',
      target: { value: 500, is: 'at least' },
      note: `${pages} pages; their markdown was rendered when they were published`,
    };

    const rounds: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 3); round++)
      rounds.push(await getsPerSecond(`${service.url}/blog/page-0`, { connections: CONNECTIONS, isShort }));
    yield {
      figure: 'an article of 20 KB markdown from the cache of rendered parts, 50 connections',
      value: median(rounds),
      unit: 'pages/s',
      target: { value: 3000, is: 'at least' },
      note: `one query per batch of requests; rounds ${rounds.map(Math.round).join(', ')}`,
    };

    const page = await weigh(service, '/blog/page-0');
    const sheet = await weigh(service, /<link rel="stylesheet" href="([^"]+)">/.exec(page.text)?.[1] ?? '');
    yield {
      figure: 'size of that page with its style sheet (gzip)',
      value: (page.sentBytes + sheet.sentBytes) / 1000,
      unit: 'KB',
      target: { value: 40, is: 'at most' },
      note: `uncompressed ${Buffer.byteLength(page.text)} bytes and ${Buffer.byteLength(sheet.text)} bytes`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function weigh(
  service: BenchService,
  path: string,
): Promise<{ readonly text: string; readonly sentBytes: number }> {
  const response = await service.fetch(path, { headers: { 'accept-encoding': 'gzip' } });
  return { text: await response.text(), sentBytes: Number(response.headers.get('content-length')) };
}
