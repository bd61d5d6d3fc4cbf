// Tests the start page, and the responses to browsers and programs for unknown paths.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkPage } from '../../pages/page-check.ts';
import { createPerson } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let test: TestApp;
let user: ApiUser;
before(async () => {
  test = await createTestApp();
  user = await test.createUser();
});
after(() => test.close());

const open = (url: string, accept = BROWSER) => test.app.inject({ url, headers: { accept } });

describe('GET /', () => {
  it('returns a complete page', async () => {
    const response = await open('/');
    assert.equal(response.statusCode, 200);
    assert.match(String(response.headers['content-type']), /^text\/html/);
    assert.match(String(response.headers['content-security-policy']), /default-src 'none'/);
    checkPage(response.body);
    assert.match(response.body, /<link rel="canonical" href="http:\/\/localhost:3000\/">/);
    // The drawing of the example is part of the page, not a separate image.
    assert.match(response.body, /<div class="flow"[^>]*><svg/);
    const secondResponse = await test.app.inject({
      url: '/',
      headers: { 'if-none-match': String(response.headers.etag) },
    });
    assert.equal(secondResponse.statusCode, 304);
  });

  it('redirects signed-in users to their workflows', async () => {
    const { cookie } = await createPerson(test, user);
    const response = await test.app.inject({ url: '/', headers: { accept: BROWSER, cookie } });
    assert.deepEqual([response.statusCode, response.headers.location], [302, '/workflows']);
    assert.equal(response.headers['cache-control'], 'no-store');
  });

  it('returns the page in the theme that /theme/{name} set', async () => {
    const { statusCode, headers } = await test.app.inject({
      url: '/theme/dark',
      headers: { accept: BROWSER, host: 'localhost:3000', referer: 'http://localhost:3000/blog?page=2' },
    });
    assert.deepEqual([statusCode, headers.location], [303, '/blog?page=2']);
    const [cookie = ''] = String(headers['set-cookie']).split(';');
    assert.equal(cookie, 'theme=dark');
    const defaultPage = await open('/');
    for (const url of ['/', '/blog', '/nothing-here']) {
      const dark = await test.app.inject({ url, headers: { accept: BROWSER, cookie } });
      assert.match(dark.body, /<html lang="en" data-theme="dark">/);
      assert.match(String(dark.headers.vary), /Cookie/);
    }
    const dark = await test.app.inject({ url: '/', headers: { accept: BROWSER, cookie } });
    assert.notEqual(dark.headers.etag, defaultPage.headers.etag);
    assert.match(String(defaultPage.headers.vary), /Cookie/);
    for (const referer of ['http://evil.example/x', 'nonsense', 'http://localhost:3000//evil.example/x']) {
      const response = await test.app.inject({ url: '/theme/light', headers: { accept: BROWSER, referer } });
      assert.ok(['/', '/evil.example/x'].includes(String(response.headers.location)), referer);
    }
    assert.equal((await open('/theme/pink')).statusCode, 400);
  });

  it('returns a link to the editor for users with a session', async () => {
    const { cookie } = await createPerson(test, user);
    const response = await test.app.inject({ url: '/blog', headers: { accept: BROWSER, cookie } });
    assert.match(response.body, /<html lang="en" data-user>/);
    assert.match(response.body, /href="\/workflows">Workflows/);
    assert.doesNotMatch((await open('/blog')).body, /data-user>/);
  });

  it('returns a page with working example commands', async () => {
    const { body } = await open('/');
    const text = body.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&apos;', "'");
    const [graph, run] = [...text.matchAll(/-d '(\{.*?\})'/gs)].map(match => JSON.parse(match[1] ?? ''));
    const created = await user.request<{ id: string; meta: { warnings: string[] } }>(
      'POST',
      '/workflows',
      graph,
    );
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const warnings = created.body.meta.warnings.filter(line => !line.startsWith('layoutPending:'));
    assert.deepEqual(warnings, []);
    assert.equal((await user.request('POST', `/workflows/${created.body.id}/run`, run)).status, 202);
  });

  it('returns a page without broken links', async () => {
    const { body } = await open('/');
    for (const [, href] of body.matchAll(/<a[^>]* href="(\/[^"#]*)"/g)) {
      const { statusCode } = await open(href ?? '');
      assert.ok(statusCode < 400, `/ leads to ${href}: ${statusCode}`);
    }
  });
});

describe('GET of an unknown path', () => {
  it('returns a page to browsers', async () => {
    for (const url of ['/nowhere', '/editor/x', '/api/v1/nothing']) {
      const response = await open(url);
      assert.equal(response.statusCode, 404);
      assert.match(String(response.headers['content-type']), /^text\/html/);
      assert.match(response.body, /Page not found/);
      assert.equal(response.headers.vary, 'Accept, Cookie, Accept-Encoding');
      assert.ok(response.headers['x-ratelimit-limit']);
    }
  });

  it('returns JSON to other clients', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html;q=0, */*', 'image/png']) {
      const response = await open('/nowhere', accept);
      assert.deepEqual([response.statusCode, response.json().code], [404, 'not_found'], accept);
    }
    const postResponse = await test.app.inject({
      method: 'POST',
      url: '/nowhere',
      headers: { accept: BROWSER },
    });
    assert.equal(postResponse.json().code, 'not_found');
  });
});
