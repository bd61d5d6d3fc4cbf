// Tests the SVG sanitizer: it removes hostile content in any encoding, keeps drawings, and enforces limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { assertHarmless } from './harmless-svg.ts';
import { HOSTILE } from './svg-corpus.ts';

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const sanitize = (text: string): string => sanitizeSvg(Buffer.from(text)).bytes.toString();
const svg = (inner: string): string => `<svg ${NS}>${inner}</svg>`;

const encodeUtf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const encodeUtf32 = (text: string): Buffer => {
  const codes = Uint32Array.from(text, char => char.codePointAt(0) ?? 0);
  return Buffer.from(codes.buffer);
};
const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'utf-8': text => Buffer.from(text),
  'utf-8 with a mark': text => Buffer.from(`\uFEFF${text}`),
  'utf-16le with a mark': text => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'utf-16be with a mark': text => encodeUtf16be(`\uFEFF${text}`),
  'utf-16le without a mark': text => Buffer.from(text, 'utf16le'),
  'utf-16be without a mark': text => encodeUtf16be(text),
  'utf-32le with a mark': text => encodeUtf32(`\uFEFF${text}`),
  'utf-32be with a mark': text => encodeUtf32(`\uFEFF${text}`).swap32(),
  'utf-32le without a mark': text => encodeUtf32(text),
  'declared latin1': text => Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${text}`, 'latin1'),
  'declared windows-1252': text =>
    Buffer.from(`<?xml version='1.0' encoding='windows-1252' standalone="no"?>${text}`, 'latin1'),
};

const assertRefused = (text: string, code: string): void =>
  assert.throws(() => sanitize(text), { name: 'AppError', code }, text.slice(0, 80));

test('the corpus has at least 150 hostile files', () =>
  assert.ok(new Set(HOSTILE).size >= 150, String(HOSTILE.length)));

for (const [name, encode] of Object.entries(ENCODINGS)) {
  test(`sanitizeSvg removes all hostile content in ${name}`, () => {
    for (const text of HOSTILE) {
      try {
        assertHarmless(sanitizeSvg(encode(text)).bytes.toString());
      } catch (err) {
        if (!(err instanceof AppError))
          throw new Error(`${JSON.stringify(text)}: ${(err as Error).message}`, { cause: err });
        assert.match(err.code, /^(invalid_svg|svg_too_complex)$/, text);
      }
    }
  });
}

test('sanitizeSvg does not change its own output', () => {
  for (const text of HOSTILE) {
    try {
      const output = sanitize(text);
      assert.equal(sanitize(output), output);
    } catch (err) {
      if (!(err instanceof AppError)) throw err;
    }
  }
});

test('sanitizeSvg keeps shapes, gradients, clips, masks and references', () => {
  const input = svg(
    '<defs><linearGradient id="Verlauf-ä" x1="0" gradientTransform="rotate(45 1 1)"><stop offset=".5" stop-color="#f00"/></linearGradient>' +
      '<clipPath id="c"><circle cx="1" cy="1" r="1e3"/></clipPath><mask id="m"><rect width="100%" height="1"/></mask><symbol id="s" viewBox="0 0 1 1"><path d="M0 0h1v-1z"/></symbol></defs>' +
      '<g fill="url(#Verlauf-ä)" stroke="url(#x) rgb(1, 2, 3)" clip-path="url(#c)" mask="url(#m)" opacity=".5" style="fill:red;stroke-width:2px"><use href="#s" x="1"/><polygon points="0,0 1,1"/></g>',
  );
  assert.equal(sanitize(input), input);
});

test('sanitizeSvg keeps an xlink reference with the prefix xlink', () => {
  const input = `<svg ${NS} xmlns:q="http://www.w3.org/1999/xlink"><use q:href=" #a "/></svg>`;
  assert.equal(
    sanitize(input),
    `<svg ${NS} xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/></svg>`,
  );
});

test('sanitizeSvg adds a missing namespace and removes a namespace prefix', () => {
  assert.equal(
    sanitize('<svg viewBox="0 0 1 1"><rect/></svg>'),
    `<svg ${NS} viewBox="0 0 1 1"><rect/></svg>`,
  );
  assert.equal(sanitize('<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:rect/></s:svg>'), svg('<rect/>'));
});

test('sanitizeSvg replaces links and switches by groups, so that their content is drawn', () => {
  assert.equal(
    sanitize(svg('<a href="http://x.example" fill="red"><rect/></a>')),
    svg('<g fill="red"><rect/></g>'),
  );
  assert.equal(
    sanitize(svg('<switch><foreignObject/><g><rect/></g></switch>')),
    svg('<g><g><rect/></g></g>'),
  );
});

test('sanitizeSvg removes content outside the drawing', () => {
  const input = `<?xml version="1.0"?><!-- by hand --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${svg('\n<title>Cat</title><metadata><x xmlns="urn:x"/></metadata><rect class="a" data-x="1"/>\n')}\n`;
  assert.equal(sanitize(input), svg('<rect/>'));
});

test('sanitizeSvg accepts the names of characters that HTML defines', () =>
  assert.equal(sanitize(svg('<text>5&nbsp;&times; 3&mdash;&copy;</text><rect/>')), svg('<rect/>')));

test('sanitizeSvg accepts the entities that Illustrator declares for its namespaces', () => {
  const input =
    '<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY ns_flow "http://ns.adobe.com/Flows/1.0/">]><svg xmlns="&ns_svg;" xmlns:f="&ns_flow;"><f:x/><rect/></svg>';
  assert.equal(sanitize(input), svg('<rect/>'));
});

test('sanitizeSvg does not expand entities to a large file', () => {
  const entity = `<!DOCTYPE svg [<!ENTITY a "${'a'.repeat(128)}">]>`;
  assertRefused(entity + svg(`<rect fill="${'&a;'.repeat(1000)}"/>`), 'svg_too_complex');
  assert.equal(sanitize(`${entity}<svg><text>${'&a;'.repeat(1000)}</text></svg>`), `<svg ${NS}/>`);
});

test('sanitizeSvg removes the second of two equal ids', () => {
  assert.equal(sanitize(svg('<g id="a"/><rect id="a"/>')), svg('<g id="a"/><rect/>'));
});

test('sanitizeSvg: invalid_svg for another root element and for malformed XML', () => {
  for (const text of [
    '',
    ' ',
    'svg',
    '<html/>',
    '<g/>',
    '<SVG/>',
    '<svg',
    '<svg></g>',
    '<svg>&x;</svg>',
    '<svg a="1" a="2"/>',
    '<x:svg/>',
    '<svg xmlns="urn:x"/>',
    '<svg/><svg/>',
    '{"a":1}',
  ]) {
    assertRefused(text, 'invalid_svg');
  }
  for (const bytes of [
    Buffer.from([0x3c, 0xff, 0xfe]),
    Buffer.from([0xff, 0xfe, 0]),
    Buffer.from('<?xml version="1.0" encoding="utf-7"?><svg/>'),
    Buffer.alloc(10),
  ]) {
    assert.throws(() => sanitizeSvg(bytes), { code: 'invalid_svg' });
  }
});

test('sanitizeSvg: svg_too_complex for more than 20,000 elements', () => {
  const removed = '<title/>'.repeat(10_000);
  assert.equal(sanitize(svg(removed + '<g/>'.repeat(9_999))).length, svg('<g/>'.repeat(9_999)).length);
  assertRefused(svg(removed + '<g/>'.repeat(10_000)), 'svg_too_complex');
});

test('sanitizeSvg: svg_too_complex for more than 64 levels', () => {
  const nested = (levels: number, name: string): string =>
    svg(`<${name}>`.repeat(levels - 1) + `</${name}>`.repeat(levels - 1));
  assert.equal(sanitize(nested(64, 'g')).match(/<g/g)?.length, 63);
  sanitize(nested(64, 'title'));
  assertRefused(nested(65, 'g'), 'svg_too_complex');
  assertRefused(nested(65, 'title'), 'svg_too_complex');
  assertRefused(nested(100_000, 'g'), 'svg_too_complex');
});

test('sanitizeSvg: svg_too_complex for references that multiply, nest deeply or form a cycle', () => {
  const doubling = (link: (id: number) => string): string =>
    Array.from({ length: 30 }, (_, id) => `<g id="n${id}">${link(id + 1).repeat(2)}</g>`).join('');
  assertRefused(svg(doubling(id => `<use href="#n${id}"/>`)), 'svg_too_complex');
  assertRefused(svg(doubling(id => `<g mask="url(#n${id})"/>`)), 'svg_too_complex');
  assertRefused(svg(doubling(id => `<g style="clip-path:url(#n${id})"/>`)), 'svg_too_complex');
  assertRefused(
    svg(Array.from({ length: 200 }, (_, id) => `<use id="n${id}" href="#n${id + 1}"/>`).join('')),
    'svg_too_complex',
  );
  assertRefused(svg('<use id="a" href="#b"/><use id="b" href="#a"/>'), 'svg_too_complex');
  assertRefused(svg('<g id="a"><use href="#a"/></g>'), 'svg_too_complex');
  assertRefused(
    svg(`<g id="a">${'<g/>'.repeat(5000)}</g>${'<use href="#a"/>'.repeat(1000)}`),
    'svg_too_complex',
  );
});

test('sanitizeSvg accepts many references to gradients and symbols', () => {
  const gradient = `<linearGradient id="a">${'<stop/>'.repeat(100)}</linearGradient><linearGradient id="b" href="#a"/>`;
  sanitize(svg(gradient + '<path fill="url(#b)" stroke="url(#b)"/>'.repeat(5000)));
  sanitize(svg(`<symbol id="s">${'<path d="M0 0"/>'.repeat(20)}</symbol>${'<use href="#s"/>'.repeat(2000)}`));
});

test('sanitizeSvg takes less than three seconds of processor time for any megabyte', () => {
  const before = process.cpuUsage();
  const MB = 1_000_000;
  const values = [
    'x'.repeat(MB),
    ' '.repeat(MB),
    '('.repeat(MB),
    'a '.repeat(MB / 2),
    `${'x'.repeat(MB)}.(`,
    '!'.repeat(MB),
    '! '.repeat(MB / 2),
    ';'.repeat(MB),
    ':'.repeat(MB),
    `fill:a${' '.repeat(MB)}b`,
    `url(${' '.repeat(MB)}`,
    `#${'a'.repeat(MB)}`,
    '0,0 '.repeat(MB / 4),
  ];
  for (const value of values)
    sanitize(
      svg(
        ['fill', 'style', 'id', 'href', 'd', 'points', 'transform']
          .map(name => `<rect ${name}="${value.slice(0, MB / 7)}"/>`)
          .join(''),
      ),
    );
  for (const text of ['<!ENTITY '.repeat(MB / 9), `<!ENTITY ${' '.repeat(MB)}`])
    sanitize(`<!DOCTYPE svg [${text}]>${svg('')}`.replaceAll('<!ENTITY <', '<!ENTITY x ""><'));
  sanitize(`<svg ${Array.from({ length: 50_000 }, (_, i) => `a${i}=""`).join(' ')}/>`);
  // Quadratic work would take minutes. The test measures processor time, because the machine may be busy.
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 3_000_000, `${(user + system) / 1e6} s`);
});
