// Tests the SDK in a page of the service, where the session cookie replaces the key.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { build } from 'esbuild';
import { createPerson } from '../support/accounts/people.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BROWSER_MISSING_REASON, openBrowser, type TestBrowser } from '../support/browser.ts';

const NODE = {
  id: 'a',
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label: 'A', category: 'input', nodeType: 'input:text', config: { value: 'a' } },
};

let test: TestApp;
let url: string;
let browser: TestBrowser;
before(async () => {
  test = await createTestApp();
  url = await test.app.listen({ host: '127.0.0.1', port: 0 });
  if (!BROWSER_MISSING_REASON) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await test.close();
});

it('the SDK writes, starts runs, uploads and reads lists with a session cookie', {
  skip: BROWSER_MISSING_REASON,
}, async () => {
  const person = await createPerson(test, await test.createUser({ scopes: ['instance:admin'] }));
  const { id } = (
    await person.request<{ id: string }>('POST', '/workflows', { name: 'W', nodes: [NODE], edges: [] })
  ).body;
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../sdk/src/sdk.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'sdk',
  });
  await using testPage = await browser.open(url, undefined, person.cookie);
  await testPage.page.goto('/docs');
  const results = await testPage.page.evaluate(`(async () => {
    ${outputFiles[0]?.text}
    const client = sdk.createClient({ url: '', headers: { 'X-Client': 'editor' } });
    const { email } = await client.request('GET', '/me');
    await client.request('POST', '/folders', { body: { name: 'From a page' } });
    const run = await client.run(${JSON.stringify(id)});
    const { trigger } = await run.get();
    const first = (await run.events().next()).value.event;
    const media = await client.upload(new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'], { type: 'image/svg+xml' }), { name: 'a.svg' });
    const runs = [];
    for await (const { id } of client.list('/executions')) runs.push(id === run.id);
    return [email, trigger, first, media.contentType, runs];
  })()`);
  assert.deepEqual(results, [person.email, 'editor', 'snapshot', 'image/svg+xml', [true]]);
  assert.deepEqual(testPage.errors, []);
});
