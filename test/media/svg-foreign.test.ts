// A public sanitizer's whole test suite: none of its payloads gets through ours with anything that runs or reaches out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { assertHarmless } from './harmless-svg.ts';

const PAYLOADS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/dompurify-payloads.json'), 'utf8'),
) as readonly string[];

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const svg = (inner: string): string => `<svg ${NAMESPACES}>${inner}</svg>`;
/** As XML writes it; what XML cannot say is left out. */
const quote = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** How many of the texts were taken, all of them harmless; the others were refused. */
function countTaken(texts: readonly string[]): number {
  return texts.filter(text => {
    try {
      assertHarmless(sanitizeSvg(Buffer.from(text)).toString());
      return true;
    } catch (err) {
      if (err instanceof AppError) return false;
      throw new Error(text, { cause: err });
    }
  }).length;
}

const TAG = /<([a-z][\w:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)/gi;
const ATTRIBUTE = /([a-z][\w:.-]*)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/gi;

/** Most payloads are HTML, which no XML parser takes: their elements one by one, written as XML has them. */
function elementsOf(payload: string): readonly string[] {
  return [...payload.matchAll(TAG)].map(([, name = '', rest = '']) => {
    const attributes = new Map(
      [...rest.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [
        key,
        value.replace(/^(["'])([\s\S]*)\1$/, '$2'),
      ]),
    );
    const printed = [...attributes].map(([key, value]) => ` ${key}="${quote(value)}"`).join('');
    return `<${name}${printed}/>`;
  });
}

describe(`the ${PAYLOADS.length} payloads of DOMPurify's tests`, () => {
  it('as files, and within a drawing', () => {
    assert.ok(PAYLOADS.length > 200);
    assert.ok(countTaken(PAYLOADS) > 3);
    assert.ok(countTaken(PAYLOADS.map(svg)) > 20);
  });

  it('as text, and as the value of every kind of attribute', () => {
    assert.equal(countTaken(PAYLOADS.map(text => svg(`<text>${quote(text)}</text>`))), PAYLOADS.length);
    for (const name of [
      'id',
      'class',
      'href',
      'xlink:href',
      'fill',
      'style',
      'd',
      'transform',
      'onload',
      'x',
    ]) {
      const drawings = PAYLOADS.map(text => svg(`<use ${name}="${quote(text)}"/>`));
      assert.equal(countTaken(drawings), PAYLOADS.length, name);
    }
  });

  it('element by element', () => {
    const elements = [...new Set(PAYLOADS.flatMap(elementsOf))];
    assert.ok(elements.length > 300, String(elements.length));
    assert.ok(countTaken(elements.map(svg)) > 300);
    countTaken(elements.map(element => element.replace(/^<[\w:-]+/, `<svg ${NAMESPACES}`)));
  });
});
