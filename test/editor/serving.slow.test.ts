// Tests how the web application is served: access, security policy, and files.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPerson, type Person } from '../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../support/app.ts';
import { createTestEditor } from '../support/editor-bundle.ts';
import { createWorkflow } from '../support/workflows.ts';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

let testApp: TestApp;
let operator: ApiUser;
let person: Person;
before(async () => {
  testApp = await createTestApp({ env: { CDN_URL: 'https://media.example.com/files' } });
  operator = await testApp.createUser();
  person = await createPerson(testApp, operator);
});
after(() => testApp.close());

const open = (url: string, headers: Record<string, string> = {}) =>
  testApp.app.inject({ url, headers: { accept: BROWSER, ...headers } });

describe('GET of a page', () => {
  it('shows a waiting page while the application is being bundled', async t => {
    const editor = createTestEditor();
    const starting = await createTestApp({ editor });
    t.after(() => starting.close());
    const openAt = (url: string) => starting.app.inject({ url, headers: { accept: BROWSER } });
    const response = await openAt('/sign-in');
    // A browser reports other statuses as errors in its console.
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.match(response.body, /<h1>Starting…<\/h1>/);
    const [, script = ''] = /<script src="([^"]+)" defer>/.exec(response.body) ?? [];
    assert.match((await openAt(script)).body, /location\.reload/);
    await editor.start();
    assert.match((await openAt('/sign-in')).body, /<script type="module"/);
  });

  it('allows only scripts of the service, no frames and no caching', async () => {
    const { headers, body } = await open('/sign-in');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    for (const kind of ['img', 'media', 'connect'])
      assert.match(policy, new RegExp(`${kind}-src 'self' https://media\\.example\\.com(?: data: blob:)?;`));
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['referrer-policy'], 'strict-origin-when-cross-origin');
    assert.match(String(headers['permissions-policy']), /camera=\(\)/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.doesNotMatch(body, /<style|\son\w+=|<script>/);
  });

  it('sends the opener policy only where browsers apply it', async () => {
    const policyAt = async (host: string) =>
      (await open('/sign-in', { host })).headers['cross-origin-opener-policy'];
    assert.equal(await policyAt('localhost:3000'), 'same-origin');
    assert.equal(await policyAt('127.0.0.1:3000'), 'same-origin');
    assert.equal(await policyAt('studio.internal:3000'), undefined);
  });

  it('uses the theme from the cookie', async () => {
    assert.match(
      (await open('/sign-in', { cookie: 'theme=dark' })).body,
      /<html lang="en" translate="no" data-theme="dark">/,
    );
    assert.match(
      (await open('/sign-in', { cookie: 'theme=x"><script>' })).body,
      /<html lang="en" translate="no">/,
    );
  });

  it('embeds the session without executable markup', async () => {
    const name = '</script><img src=x onerror=alert(1)>';
    const eve = await createPerson(testApp, operator, { name });
    const { body } = await open('/workflows', { cookie: eve.cookie });
    const [, json = ''] = /<script type="application\/json" id="session">(.*?)<\/script>/.exec(body) ?? [];
    const { user } = JSON.parse(json) as { user: { userId: number; name: string } };
    assert.deepEqual([user.userId, user.name], [eve.userId, name]);
    assert.doesNotMatch(body, /<img/);
    assert.doesNotMatch((await open('/sign-in')).body, /id="session"/);
  });

  it('redirects visitors to sign-in and, after it, only within the service', async () => {
    const { statusCode, headers } = await open('/workflows?x=1');
    assert.deepEqual([statusCode, headers.location], [302, '/sign-in?next=%2Fworkflows%3Fx%3D1']);
    for (const [next, expected] of [
      ['/media', '/media'],
      ['//evil.example', '/workflows'],
      ['/\\evil.example', '/workflows'],
      ['https://evil.example', '/workflows'],
    ] as const) {
      const response = await open(`/sign-in?next=${encodeURIComponent(next)}`, { cookie: person.cookie });
      assert.deepEqual([response.statusCode, response.headers.location], [302, expected]);
    }
  });

  it('shows the public page of a workflow to users who cannot edit the workflow', async () => {
    const { id } = await createWorkflow(operator);
    await operator.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    assert.match((await open(`/flow/${id}`, { cookie: person.cookie })).body, /<svg/);
    assert.match((await open(`/flow/${id}`)).body, /<svg/);
  });
});

describe('GET /assets/:name', () => {
  it('is cached forever and compressed as the browser accepts', async () => {
    const { body } = await open('/sign-in');
    const scripts = [...body.matchAll(/<link rel="modulepreload" href="([^"]+chunk[^"]+)">/g)];
    const files = await Promise.all(
      scripts.map(async ([, script = '']) => ({ script, plain: await open(script) })),
    );
    // Short scripts hardly get shorter.
    const [{ script, plain } = assert.fail('the page loads no scripts')] = files.toSorted(
      (a, b) => b.plain.rawPayload.length - a.plain.rawPayload.length,
    );
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(plain.headers['content-type']), /^text\/javascript/);
    for (const coding of ['br', 'gzip']) {
      const response = await open(script, { 'accept-encoding': coding });
      assert.equal(response.headers['content-encoding'], coding);
      assert.equal(response.headers.vary, 'Accept-Encoding');
      assert.ok(response.rawPayload.length < plain.rawPayload.length / 2);
    }
  });

  it('responds with 404 for names that match no file', async () => {
    for (const name of ['nothing.js', '..%2fmanifest.json', 'manifest.json', '__proto__'])
      assert.equal((await open(`/assets/${name}`, { accept: '*/*' })).statusCode, 404, name);
  });
});
