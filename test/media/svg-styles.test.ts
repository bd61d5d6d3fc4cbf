// Tests how style sheets of an SVG become attributes of its elements, and what is reported as removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rasterizeSvg } from '../../src/media/svg/rasterize.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { readPixels } from '../support/media/pixels.ts';
import { assertHarmless } from './harmless-svg.ts';

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const svg = (inner: string): string => `<svg ${NS} viewBox="0 0 2 2" width="2" height="2">${inner}</svg>`;
const read = (inner: string) => {
  const { bytes, warnings } = sanitizeSvg(Buffer.from(svg(inner)));
  const text = bytes.toString();
  assertHarmless(text);
  return { inner: text.slice(svg('').length - '</svg>'.length, -'</svg>'.length), warnings };
};

describe('a style sheet in an SVG', () => {
  it('becomes style attributes, by specificity and order, and style attributes win', () => {
    const css =
      'path{opacity:1} *.a{stroke-width:2} .a{fill:red} rect{fill:blue;stroke:red} rect.a{stroke:lime} #x{stroke-width:3} .b,.a{opacity:.5}';
    const { inner, warnings } = read(
      `<style type="text/css"><![CDATA[${css}]]></style><rect class=" b a" id="x" style="opacity:.1"/><path class="c"/>`,
    );
    assert.equal(
      inner,
      '<rect id="x" style="fill:blue;stroke:red;stroke-width:2;fill:red;opacity:.5;opacity:.5;stroke:lime;stroke-width:3;opacity:.1"/><path style="opacity:1"/>',
    );
    assert.deepEqual(warnings, []);
  });

  it('may follow the elements, be in parts, and refer to what the file defines', () => {
    const { inner, warnings } = read(
      '<path class="a" d="M0 0h2v2z"/><style>.a{fill:url(#%C3%A4)}</style><defs><style>.a{stroke:red}</style><linearGradient id="ä"/></defs>',
    );
    assert.equal(
      inner,
      '<path d="M0 0h2v2z" style="fill:url(#ä);stroke:red"/><defs><linearGradient id="ä"/></defs>',
    );
    assert.deepEqual(warnings, []);
  });

  it('is drawn in the same colors', async () => {
    const text = svg('<style>.st0{fill:#f00}</style><path class="st0" d="M0 0h2v2H0z"/>');
    const draw = async (file: Buffer) => {
      const { at, width, height } = await readPixels(await rasterizeSvg(file, new AbortController().signal));
      return at(width / 2, height / 2);
    };
    const { bytes } = sanitizeSvg(Buffer.from(text));
    assert.deepEqual(await draw(bytes), [255, 0, 0, 255]);
    assert.deepEqual(await draw(bytes), await draw(Buffer.from(text)));
  });

  it('loads nothing', () => {
    const { inner } = read(
      '<style>@import "http://x.example/a.css"; .a{fill:url(http://x.example/a.svg#b);stroke:red;background:url(//x.example)}</style><path class="a"/>',
    );
    assert.equal(inner, '<path style="stroke:red"/>');
  });

  it('is reported where its rules are not known', () => {
    const rules = 'g > path{fill:red} path:hover{fill:red} [a]{fill:red} @media print{path{fill:red}}';
    assert.deepEqual(read(`<style>${rules}</style><path/>`).warnings, [
      'These rules of its style sheet were not applied: g &gt; path, path:hover, [a], @media.'.replace(
        '&gt;',
        '>',
      ),
    ]);
    assert.deepEqual(read('<style>.a{fill:red}} "</style><path/>').warnings, [
      'These rules of its style sheet were not applied: all, because it has a syntax error.',
    ]);
    assert.deepEqual(read('<style media="print">.a{fill:red}</style><path class="a"/>'), {
      inner: '<path/>',
      warnings: ['Elements of these kinds were removed: style.'],
    });
  });

  it('cannot repeat too much', () => {
    const elements = '<path class="a"/>'.repeat(15_000);
    const refuse = (css: string) =>
      assert.throws(() => read(`<style>${css}</style>${elements}`), { code: 'svg_too_complex' });
    refuse(`.a{fill:red;${'stroke:red;'.repeat(20)}}`);
    refuse('.a{fill:red}'.repeat(1000));
  });

  it('costs nothing per element for what is not allowed', () => {
    const forbidden = `*{${'x:1;'.repeat(15_000)}}`;
    assert.equal(read(`<style>${forbidden}</style>${'<g/>'.repeat(9900)}`).inner, '<g/>'.repeat(9900));
  });

  it('keeps the other declarations of a rule, and the order of important ones', () => {
    const css = '.a{fill:red;font-family:"\\65";stroke:lime!important} #x{stroke:blue}';
    assert.equal(
      read(`<style>${css}</style><path class="a" id="x" style="fill:blue;stroke:red"/>`).inner,
      '<path id="x" style="fill:red;stroke:blue;fill:blue;stroke:red;stroke:lime"/>',
    );
  });
});

it('elements that would be visible are reported when they are removed', () => {
  const { inner, warnings } = read(
    '<title>T</title><text>a<tspan>b</tspan></text><image href="a.png"/><g><filter/></g><switch><foreignObject/><rect/></switch><x xmlns="urn:x"/><script/>',
  );
  assert.equal(inner, '<g/><g><rect/></g>');
  assert.deepEqual(warnings, ['Elements of these kinds were removed: text, image, filter.']);
});
