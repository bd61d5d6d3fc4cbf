// Checks that a sanitized SVG contains only shapes and internal references, without using the sanitizer's tables.
import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';

const ALLOWED_ELEMENTS =
  /^(svg|g|defs|symbol|use|path|rect|circle|ellipse|line|polyline|polygon|linearGradient|radialGradient|stop|clipPath|mask)$/;
const HOSTILE_TEXT =
  /script[:(]|<script|https?:(?!\/\/www\.w3\.org\/(2000\/svg|1999\/xlink)")|data:|@|\\|<!|<\?|\/\*|expression\s*\(|&|'/i;

/** Checks the output with a parser and with patterns. Both may find only shapes and internal references. */
export function assertHarmless(output: string): void {
  assert.doesNotMatch(output, HOSTILE_TEXT);
  for (const [, target] of output.matchAll(/(?:href="|url\()([^")]*)/gi))
    assert.match(target ?? '', /^#[\p{L}\p{N}_.-]+$/u);
  assert.equal(output.match(/url\s*\(/gi)?.length, output.match(/url\(#/g)?.length);
  const parser = new SaxesParser({ xmlns: true });
  const fail = (what: string) => () => assert.fail(`${what} in ${output}`);
  parser.on('text', fail('text'));
  parser.on('comment', fail('a comment'));
  parser.on('cdata', fail('CDATA'));
  parser.on('doctype', fail('a doctype'));
  parser.on('processinginstruction', fail('an instruction'));
  parser.on('opentag', ({ name, uri, attributes }) => {
    assert.match(name, ALLOWED_ELEMENTS);
    assert.equal(uri, 'http://www.w3.org/2000/svg');
    for (const attribute of Object.values(attributes))
      assert.doesNotMatch(attribute.name, /^on|^(?!xmlns|xlink:href).*:/i);
  });
  parser.write(output).close();
}
