// Sanitizes mutated SVGs, and searches the results for harm with two parsers that do not use the sanitizer's tables. Runs
// in a thread, so that the main thread notices a hang.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import sanitizeHtml from 'sanitize-html';
import { SaxesParser } from 'saxes';
import { AppError } from '../../src/lib/errors.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { HOSTILE } from '../media/svg-corpus.ts';
import { mutate } from './mutate.ts';

export interface FuzzReport {
  readonly rounds: number;
  /** The number of inputs that were accepted. */
  readonly accepted: number;
  readonly violations: readonly string[];
}

/** The time after which a round counts as hanging. The inputs have a few KB. */
const HANG_MS = 10_000;
const POLL_MS = 250;
const MAX_VIOLATIONS = 5;
const ROUND = 0;
const ACCEPTED = 1;
/** Not 0 when the thread must end. A thread that catches all errors can miss its termination. */
const IS_OVER = 2;

/** The seed and the round's number determine each input. */
export async function fuzzSvg(seed: number, forMs: number): Promise<FuzzReport> {
  const counters = new Int32Array(new SharedArrayBuffer(12));
  const violations: string[] = [];
  const thread = new Worker(new URL(import.meta.url), { workerData: { seed, counters } });
  thread.on('message', (violation: string) => violations.push(violation));
  thread.on('error', err => violations.push(`the thread died: ${err.stack}`));
  const endMs = performance.now() + forMs;
  let [lastRound, lastChangeMs] = [-1, performance.now()];
  while (performance.now() < endMs && violations.length < MAX_VIOLATIONS) {
    await sleep(POLL_MS);
    const round = Atomics.load(counters, ROUND);
    if (round !== lastRound) [lastRound, lastChangeMs] = [round, performance.now()];
    else if (performance.now() - lastChangeMs > HANG_MS) {
      violations.push(`round ${round} of seed ${seed} hangs`);
      break;
    }
  }
  Atomics.store(counters, IS_OVER, 1);
  await thread.terminate();
  return {
    rounds: Atomics.load(counters, ROUND),
    accepted: Atomics.load(counters, ACCEPTED),
    violations,
  };
}

const TOKENS = [
  ...['<', '>', '"', "'", '&', ';', '/', '=', ' ', '\n', '\0', '#', 'url(', ')', ':', '<!--', '-->'],
  ...[
    '<![CDATA[',
    ']]>',
    '&#x3c;',
    'xlink:href="',
    ' onload="',
    '<script>',
    '<g>',
    '</g>',
    '\ufeff',
    'ä',
    '🧀',
  ],
  ...['xmlns:x="', '<!DOCTYPE svg [', '<!ENTITY a "b">', '&a;', ']>', '<?xml encoding="utf-16"?>', 'style="'],
  ...['<foreignObject>', '<style>', '<use href="#a"/>', 'id="a"', '\u2028', '&#0;', '&#xD800;', '<svg:rect'],
].map(token => Buffer.from(token));
const CORPUS = HOSTILE.map(text => Buffer.from(text));

export function createInput(seed: number, round: number): Buffer {
  const random = createSeededRandom(seed * 1_000_003 + round);
  const kind = random();
  if (kind < 0.5) return mutateValue(random);
  const mutated = mutate(CORPUS, TOKENS, random);
  return kind < 0.9 ? mutated : Buffer.from(mutated.toString('utf8'), 'utf16le');
}

/** Returns a document with one changed attribute that is still well-formed. */
function mutateValue(random: () => number): Buffer {
  const text = HOSTILE[Math.floor(random() * HOSTILE.length)] ?? '';
  const values = [...text.matchAll(/="([^"<]*)"/g)];
  const match = values[Math.floor(random() * values.length)];
  if (match?.[1] === undefined) return Buffer.from(text);
  const value = mutate([Buffer.from(match[1])], TOKENS, random)
    .toString('utf8')
    .replace(/[<"]|&(?!#?\w+;)/g, char => `&#${char.charCodeAt(0)};`);
  const start = match.index + 2;
  return Buffer.from(text.slice(0, start) + value + text.slice(start + match[1].length));
}

const HARMLESS_ELEMENTS: ReadonlySet<string> = new Set(
  'svg g defs symbol use path rect circle ellipse line polyline polygon lineargradient radialgradient stop clippath mask'.split(
    ' ',
  ),
);
/** Attributes that cannot load or run anything. The values of references are checked separately. */
const HARMLESS_ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'id d x y x1 x2 y1 y2 cx cy r rx ry fx fy fr width height points offset pathlength viewbox preserveaspectratio refx refy ' +
    'transform gradienttransform gradientunits spreadmethod clippathunits maskunits maskcontentunits href xlink:href xmlns ' +
    'xmlns:xlink style fill stroke mask clip-path color opacity display visibility overflow isolation ' +
    'clip-rule color-interpolation color-rendering fill-opacity fill-rule mask-type mix-blend-mode paint-order ' +
    'shape-rendering stop-color stop-opacity stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin ' +
    'stroke-miterlimit stroke-opacity stroke-width transform-box transform-origin vector-effect'
  ).split(' '),
);
const NAMESPACES: Readonly<Record<string, string>> = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
};
const SUSPICIOUS_VALUE = /script\s*[:(]|expression\s*\(|data:|https?:|\/\/|[\\@<>&\0]|\/\*/i;
const LOCAL_REFERENCE = /^#[\p{L}\p{N}_.-]+$/u;

/** Describes the harmful part of the element. Returns undefined if there is none. Names may be in any case. */
function describeHarm(name: string, attributes: Readonly<Record<string, string>>): string | undefined {
  if (!HARMLESS_ELEMENTS.has(name.toLowerCase())) return `the element ${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    const attribute = key.toLowerCase();
    if (!HARMLESS_ATTRIBUTES.has(attribute)) return `the attribute ${key}`;
    const namespace = NAMESPACES[attribute];
    if (namespace !== undefined ? value !== namespace : SUSPICIOUS_VALUE.test(value))
      return `${key}="${value}"`;
    if (attribute.endsWith('href') && !LOCAL_REFERENCE.test(value)) return `${key}="${value}"`;
    for (const [, target = ''] of value.matchAll(/url\s*\(([^)]*)/gi))
      if (!LOCAL_REFERENCE.test(target)) return `${key}="${value}"`;
  }
  return undefined;
}

/** Describes the first harmful part of the output, read as XML and as HTML. Returns undefined if there is none. */
export function findHarm(output: string): string | undefined {
  const reasons: string[] = [];
  const addReason = (reason: string | undefined): void => {
    if (reason !== undefined) reasons.push(reason);
  };
  const parser = new SaxesParser();
  parser.on('text', text => addReason(`the text ${text}`));
  for (const event of ['comment', 'cdata', 'doctype', 'processinginstruction', 'xmldecl'] as const)
    parser.on(event, () => addReason(event));
  parser.on('opentag', ({ name, attributes }) => addReason(describeHarm(name, attributes)));
  parser.write(output).close();
  sanitizeHtml(output, {
    allowedTags: false,
    allowedAttributes: false,
    allowVulnerableTags: true,
    onOpenTag: (name, attributes) => addReason(describeHarm(name, attributes)),
    textFilter: text => {
      addReason(`the text ${text}`);
      return text;
    },
  });
  return reasons[0];
}

function fuzz({ seed, counters }: { readonly seed: number; readonly counters: Int32Array }): void {
  for (let round = 0; Atomics.load(counters, IS_OVER) === 0; round++) {
    Atomics.store(counters, ROUND, round);
    const input = createInput(seed, round);
    try {
      const harm = findHarm(sanitizeSvg(input).bytes.toString('utf8'));
      Atomics.add(counters, ACCEPTED, 1);
      if (harm !== undefined) report(round, input, harm);
    } catch (err) {
      if (!(err instanceof AppError)) report(round, input, (err as Error).stack ?? String(err));
    }
  }
}

function report(round: number, input: Buffer, reason: string): void {
  parentPort?.postMessage(
    `round ${round}: ${reason} from ${JSON.stringify(input.toString('latin1')).slice(0, 600)}`,
  );
}

if (!isMainThread) fuzz(workerData);
