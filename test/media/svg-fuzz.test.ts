// Tests seeded mutations of the hostile corpus: none crashes the sanitizer or leaves anything outside the allowlist.
import { test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { isNightly } from '../support/tier.ts';
import { assertHarmless } from './harmless-svg.ts';
import { HOSTILE } from './svg-corpus.ts';

const INSERTED_TEXTS = [
  '<',
  '>',
  '"',
  "'",
  '&',
  ';',
  '/',
  '=',
  ' ',
  '\n',
  '\0',
  '#',
  'url(',
  ')',
  ':',
  '<!--',
  '-->',
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
  'xmlns:x="',
];

/** Cuts and repeats text, inserts parts of other texts, and sometimes changes a byte. */
function mutate(text: string, random: () => number): Buffer {
  const randomBelow = (length: number): number => Math.floor(random() * length);
  const pick = (list: readonly string[]): string => list[randomBelow(list.length)] ?? '';
  let mutated = text;
  for (let changes = 1 + randomBelow(4); changes > 0; changes--) {
    const from = randomBelow(mutated.length + 1);
    const to = Math.min(mutated.length, from + randomBelow(12));
    const hostileText = pick(HOSTILE);
    const start = randomBelow(hostileText.length + 1);
    const piece =
      [
        pick(INSERTED_TEXTS),
        '',
        hostileText.slice(start, start + randomBelow(60)),
        mutated.slice(from, to).repeat(3),
      ][randomBelow(4)] ?? '';
    mutated = mutated.slice(0, from) + piece + mutated.slice(to);
  }
  const bytes = Buffer.from(mutated, random() < 0.1 ? 'utf16le' : 'utf8');
  if (bytes.length > 0 && random() < 0.2) bytes.writeUInt8(randomBelow(256), randomBelow(bytes.length));
  return bytes;
}

const ROUNDS = isNightly ? 20_000 : 2_000;

test(`sanitizeSvg makes ${ROUNDS} mutations of the corpus harmless or refuses them`, () => {
  const random = createSeededRandom(20_261_121);
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = mutate(HOSTILE[round % HOSTILE.length] ?? '', random);
    try {
      assertHarmless(sanitizeSvg(bytes).bytes.toString());
    } catch (err) {
      if (!(err instanceof AppError))
        throw new Error(`round ${round}: ${JSON.stringify(bytes.toString())}`, { cause: err });
    }
  }
});
