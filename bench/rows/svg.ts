// Measures SVG sanitizing, compared with DOMPurify on jsdom, and counts the icons that look the same after it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import sharp from 'sharp';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';

const MEASURE_MS = 4000;
const OUR_RUNS_PER_ROUND = 8;
const ICONS = 5000;
const ICON_PIXELS = 96;
const INPUT_BYTES = 1_000_000;
/** The folder below `bench` in which each icon pack is installed. The packs in `icons` have 19,000 files. */
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

// The ratio depends on the content: DOMPurify's time grows with the elements, the time of our parser with the characters.
const MEASURED_PACKS = [
  { name: 'line icons', pack: '@tabler/icons' },
  { name: 'emoji', pack: '@twemoji/svg' },
];
/** Used if the measured packs are not installed, to prove that the section runs. */
const FALLBACK_PACK = { name: 'filled icons', pack: 'bootstrap-icons' };

export async function* runSvgRows(isShort: boolean): AsyncGenerator<Row> {
  const sanitizeByPeer = createPeerSanitizer();
  for (const { name, pack } of MEASURED_PACKS.every(({ pack }) => PACKS.includes(pack))
    ? MEASURED_PACKS
    : [FALLBACK_PACK]) {
    const svg = joinIcons(listIcons(pack), isShort ? 50_000 : INPUT_BYTES);
    const text = svg.toString();
    const megabytes = svg.length / 1e6;
    const [oursMs, theirsMs] = measureAlternately(
      () => sanitizeSvg(svg),
      () => sanitizeByPeer(text),
      isShort ? 0 : MEASURE_MS,
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
    value: await countUnchanged(icons),
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

function createPeerSanitizer(): (text: string) => string {
  // The packages are installed for the benchmarks only, so their types may be missing.
  const require = createRequire(import.meta.url);
  const { JSDOM } = require('jsdom') as { JSDOM: new (html: string) => { window: unknown } };
  const createDOMPurify = require('dompurify') as (window: unknown) => {
    sanitize(text: string, options: object): string;
  };
  const purify = createDOMPurify(new JSDOM('').window);
  return text => purify.sanitize(text, { USE_PROFILES: { svg: true } });
}

/**
 * Returns the median times of both functions in at least five rounds, as many as fit into `forMs`. The functions alternate,
 * so that other load affects both. Ours runs several times per round, so that both warm up for about the same time.
 */
function measureAlternately(
  ours: () => unknown,
  theirs: () => unknown,
  forMs: number,
): readonly [number, number] {
  const [ourTimes, theirTimes]: [number[], number[]] = [[], []];
  const measure = (work: () => unknown): number => {
    const startMs = performance.now();
    work();
    return performance.now() - startMs;
  };
  const endMs = performance.now() + forMs;
  while (theirTimes.length < 5 || performance.now() < endMs) {
    theirTimes.push(measure(theirs));
    for (let run = 0; run < OUR_RUNS_PER_ROUND; run++) ourTimes.push(measure(ours));
  }
  return [median(ourTimes), median(theirTimes)];
}

async function countUnchanged(files: readonly string[]): Promise<number> {
  const draw = (svg: Buffer): Promise<Buffer> =>
    sharp(svg).resize(ICON_PIXELS, ICON_PIXELS, { fit: 'contain' }).ensureAlpha().raw().toBuffer();
  let unchangedCount = 0;
  for (const file of files) {
    const svg = readFileSync(file);
    const [before, after] = await Promise.all([draw(svg), draw(sanitizeSvg(svg).bytes)]);
    if (before.equals(after)) unchangedCount++;
    else process.stdout.write(`drawn differently: ${file}\n`);
  }
  return unchangedCount;
}
