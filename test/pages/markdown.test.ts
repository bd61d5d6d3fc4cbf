// Tests rendering markdown: useful markup remains, and markup that runs or breaks the page is removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown } from '../../src/pages/markdown.ts';
import { MARKDOWN } from '../../src/pages/stored-markdown.ts';
import { listElements, SAFE_ADDRESS } from './page-check.ts';

const HOSTILE_MARKDOWN = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<img src=x onerror=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java&#10;script:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '[x](javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x)',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '<iframe src="https://example.com"></iframe>',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example"><input name=a></form>',
  '<style>body{display:none}</style>',
  '<p style="position:fixed;inset:0">x</p>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '</main></body><h1 id="main">x</h1>',
  '<details ontoggle=alert(1) open><summary>x</summary>',
  '<!--><img src=x onerror=alert(1)>-->',
  '[x]: javascript:alert(1)\n\n[x]',
];

describe('renderMarkdown', () => {
  for (const source of HOSTILE_MARKDOWN) {
    it(`makes ${JSON.stringify(source).slice(0, 60)} harmless`, () => {
      const markup = renderMarkdown(`before\n\n${source}\n\nafter`, 0);
      assert.match(markup, /^<p>before<\/p>/);
      const elements = listElements(markup);
      for (const { name, attributes } of elements) {
        assert.ok(!['script', 'style', 'iframe', 'base', 'form', 'svg', 'h1'].includes(name), name);
        for (const [attribute, value] of Object.entries(attributes)) {
          assert.doesNotMatch(attribute, /^on|^style$/);
          if (attribute === 'href' || attribute === 'src') assert.match(value, SAFE_ADDRESS);
        }
      }
    });
  }

  it('keeps tables, code, images and footnotes', () => {
    const markup = renderMarkdown(
      '| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\n1 < 2\n```\n\n![alt](/a.png "t")\n\nx[^1]\n\n[^1]: note',
      2,
    );
    assert.match(markup, /<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>/);
    assert.match(markup, /<td class="right">2<\/td>/);
    assert.match(markup, /<code class="language-js">1 &lt; 2\n<\/code>/);
    assert.match(markup, /<img src="\/a.png" alt="alt" loading="lazy" title="t" \/>/);
    assert.match(markup, /<a href="#fn-2-1" id="fnref-2-1">/);
    assert.match(markup, /<li id="fn-2-1">/);
    assert.match(markup, /aria-label="Back to text"/);
  });

  it('starts headings at h2 and skips no level', () => {
    const markup = renderMarkdown('# a\n\n#### b\n\n##### c\n\n## d\n\n<h6>e</h6>\n\n# f', 0);
    assert.deepEqual(markup.match(/<h\d/g), ['<h2', '<h3', '<h4', '<h3', '<h4', '<h2']);
  });

  it('keeps only the ids of footnotes', () => {
    assert.doesNotMatch(renderMarkdown('<a id="main" href="/">x</a> <p id="x">y</p>', 0), /id=/);
  });

  it('closes unclosed markup', () => {
    listElements(renderMarkdown('<details><summary>x\n\n<ul><li><b>y', 0));
  });
});

it('MARKDOWN.render renders long pages in a thread with the same result', async () => {
  const parts = ['# A\n\n|a|b|\n|-|-|\n|c|d|\n\n'.repeat(3000), 'Seen[^1]\n\n[^1]: There'];
  assert.deepEqual(await MARKDOWN.render(parts), parts.map(renderMarkdown));
});
