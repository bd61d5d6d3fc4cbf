// Measures SVG sanitizing against DOMPurify on jsdom, and checks that real icons still look the same.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import sharp from 'sharp';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';

const MEASURED_MS = 4000;
const RUNS_A_ROUND = 8;
const ICONS = 5000;
const ICON_PIXELS = 96;
const BENCH_BYTES = 1_000_000;
/** The folders of the packs below `bench`. All but one are installed separately, because they have 19,000 files. */
const PACK_FOLDERS: Readonly<Record<string, string>> = {
  '@tabler/icons': 'icons',
  '@twemoji/svg': 'icons',
  'bootstrap-icons': '.',
  'simple-icons': 'icons',
  'flag-icons': 'icons',
};
const getFolder = (pack: string): string =>
  join(import.meta.dirname, '..', PACK_FOLDERS[pack] ?? '.', 'node_modules', pack);
const PACKS = Object.keys(PACK_FOLDERS).filter(pack => existsSync(getFolder(pack)));

// The gain depends on the content: DOMPurify's cost grows with elements, a strict XML parser's with characters.
const FILES = [
  { name: 'line icons', pack: '@tabler/icons' },
  { name: 'emoji', pack: '@twemoji/svg' },
];
/** The pack to use if the others are not installed, to prove that the row runs. */
const SMALL = { name: 'filled icons', pack: 'bootstrap-icons' };

export async function* runSvgRows(isShort: boolean): AsyncGenerator<Row> {
  const purify = createPurify();
  for (const { name, pack } of FILES.every(file => PACKS.includes(file.pack)) ? FILES : [SMALL]) {
    const large = joinIcons(listIcons(pack), isShort ? 50_000 : BENCH_BYTES);
    const text = large.toString();
    const megabytes = large.length / 1e6;
    const [oursMs, theirsMs] = medianMsInTurn(
      () => sanitizeSvg(large),
      () => purify(text),
      isShort ? 0 : MEASURED_MS,
    );
    const ours = (megabytes * 1000) / oursMs;
    const theirs = (megabytes * 1000) / theirsMs;
    yield {
      figure: `SVG sanitizing, ${megabytes.toFixed(2)} MB of ${name}, ${text.match(/<[a-z]/gi)?.length ?? 0} elements`,
      value: ours,
      unit: 'MB/s',
      target: { value: 15 * theirs, is: 'at least' },
      baseline: { name: 'DOMPurify + jsdom', value: theirs },
    };
  }
  const icons = sampleIcons(isShort ? 50 : ICONS);
  yield {
    figure: `icons that look the same after sanitizing, of ${icons.length}`,
    value: await countSame(icons),
    unit: 'icons',
    target: { value: icons.length, is: 'at least' },
    note: `${PACKS.join(', ')}; drawn at ${ICON_PIXELS} pixels and compared byte by byte`,
  };
}

/** Lists the icons of a pack, without its sprite of all icons. */
function listIcons(pack: string): readonly string[] {
  return globSync(join(getFolder(pack), '**/*.svg'))
    .filter(file => !file.endsWith('bootstrap-icons.svg'))
    .sort();
}

/** Returns a sample with equally many icons of every pack. */
function sampleIcons(count: number): readonly string[] {
  const files = PACKS.flatMap(listIcons);
  const step = Math.max(1, files.length / count);
  return Array.from(
    { length: Math.min(count, files.length) },
    (_, index) => files[Math.floor(index * step)] ?? '',
  );
}

function joinIcons(files: readonly string[], bytes: number): Buffer {
  const parts: string[] = [];
  let length = 0;
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replace(/<\?xml.*?\?>/, '');
    if (length + text.length > bytes) break;
    parts.push(text);
    length += text.length;
  }
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${parts.join('\n')}</svg>`);
}

function createPurify(): (text: string) => string {
  // The package is installed for the benchmarks only, so its types may be missing.
  const require = createRequire(import.meta.url);
  const { JSDOM } = require('jsdom') as { JSDOM: new (html: string) => { window: unknown } };
  const createDOMPurify = require('dompurify') as (window: unknown) => {
    sanitize(text: string, options: object): string;
  };
  const purify = createDOMPurify(new JSDOM('').window);
  return text => purify.sanitize(text, { USE_PROFILES: { svg: true } });
}

/**
 * Medians of as many rounds as fit into that time, at least five. Alternating, so that a slower machine affects both;
 * the faster one runs several times per round, so that both warm up for about the same time.
 */
function medianMsInTurn(
  quick: () => unknown,
  slow: () => unknown,
  withinMs: number,
): readonly [number, number] {
  const [quicks, slows]: [number[], number[]] = [[], []];
  const time = (work: () => unknown): number => {
    const started = performance.now();
    work();
    return performance.now() - started;
  };
  const end = performance.now() + withinMs;
  while (slows.length < 5 || performance.now() < end) {
    slows.push(time(slow));
    for (let run = 0; run < RUNS_A_ROUND; run++) quicks.push(time(quick));
  }
  return [median(quicks), median(slows)];
}

async function countSame(files: readonly string[]): Promise<number> {
  const draw = (svg: Buffer): Promise<Buffer> =>
    sharp(svg).resize(ICON_PIXELS, ICON_PIXELS, { fit: 'contain' }).ensureAlpha().raw().toBuffer();
  let same = 0;
  for (const file of files) {
    const svg = readFileSync(file);
    const [before, after] = await Promise.all([draw(svg), draw(sanitizeSvg(svg))]);
    if (before.equals(after)) same++;
    else process.stdout.write(`drawn differently: ${file}\n`);
  }
  return same;
}
