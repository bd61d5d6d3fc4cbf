// Tests that the template tag, URLs and structured data never let input become markup.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSafeUrl } from '../../src/lib/safe-url.ts';
import { html, toSafeUrl, trustMarkup } from '../../src/pages/html.ts';
import { renderJsonLd } from '../../src/pages/json-ld.ts';

describe('html', () => {
  it('escapes text and keeps markup', () => {
    const innerHtml = html`<b>${'<i>&"\''}</b>`;
    assert.equal(`${html`${innerHtml}${[1, undefined, null, 'x']}`}`, '<b>&lt;i&gt;&amp;&quot;&#39;</b>1x');
    assert.equal(`${trustMarkup('<hr>')}`, '<hr>');
  });

  it('accepts markup only as instances of its own class', () => {
    const forged = JSON.parse('{"toString":"<b>","text":"<b>"}');
    assert.throws(() => html`${forged}`);
  });
});

describe('toSafeUrl', () => {
  it('keeps only URLs of this site and of web addresses', () => {
    for (const safeUrl of [
      'https://a.example/b?c=d#e',
      'http://a.example',
      '/a',
      '/',
      '#a',
      'mailto:a@b.example',
    ])
      assert.equal(toSafeUrl(safeUrl), safeUrl);
    for (const unsafeUrl of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://user:secret@a.example',
      'a.example',
      '',
      '\u202ehttps://a.example',
    ])
      assert.equal(toSafeUrl(unsafeUrl), '#', JSON.stringify(unsafeUrl));
    assert.equal(isSafeUrl('mailto:a@b.example', 'media'), false);
    assert.equal(isSafeUrl('/a', 'absolute'), false);
  });
});

describe('renderJsonLd', () => {
  it('renders a script that no text can close', () => {
    const text = '</script><script>alert(1)</script><!-- \u2028';
    const markup = String(renderJsonLd([{ name: text }]));
    assert.equal(markup.match(/<\/script>/g)?.length, 1);
    assert.doesNotMatch(markup, /<!--|\u2028/);
    const [, json = ''] = /<script[^>]*>(.*)<\/script>/s.exec(markup) ?? [];
    assert.equal(JSON.parse(json)['@graph'][0].name, text);
  });
});
