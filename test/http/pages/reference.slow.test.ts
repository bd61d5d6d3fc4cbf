// Tests the API reference at /docs: pages, links, code samples, and its use in a browser.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { type ApiDocument, listGroups, type Operation } from '../../../src/pages/reference/document.ts';
import { type CodeSample, listSamples } from '../../../src/pages/reference/samples.ts';
import { listElements } from '../../pages/page-check.ts';
import { createPerson } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import {
  BROWSER_MISSING_REASON,
  checkViews,
  openBrowser,
  type TestBrowser,
  VIEWS,
} from '../../support/browser.ts';

const run = promisify(execFile);
const SDK = join(import.meta.dirname, '../../../sdk/src/sdk.ts');

let test: TestApp;
let url: string;
let user: ApiUser;
let browser: TestBrowser;
let document: ApiDocument;
before(async () => {
  test = await createTestApp();
  url = await test.app.listen({ host: '127.0.0.1', port: 0 });
  user = await test.createUser({ plan: 'self_hosted' });
  document = (await test.app.inject('/openapi.json')).json<ApiDocument>();
  if (!BROWSER_MISSING_REASON) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await test.close();
});

const listOperations = (): Operation[] => listGroups(document).flatMap(group => [...group.operations]);

describe('the API reference at /docs', () => {
  it('has a section for every operation and no broken links', async () => {
    const pages = new Map<string, ReadonlySet<string>>();
    const links: string[] = ['/docs'];
    const anchors: string[] = [];
    // The loop appends the links of each page to the list.
    for (const link of links) {
      const { pathname, hash } = new URL(link, url);
      if (hash !== '') anchors.push(pathname + hash);
      if (pages.has(pathname) || !/^\/docs(?:$|\/(?!assets))/.test(pathname)) continue;
      const response = await test.app.inject(pathname);
      assert.equal(response.statusCode, 200, link);
      assert.match(
        String(response.headers['content-security-policy']),
        /^default-src 'none'; script-src 'self';/,
      );
      const elements = listElements(response.body);
      const ids = elements.flatMap(({ attributes }) => attributes.id ?? []);
      assert.equal(new Set(ids).size, ids.length, `${link} has an id twice`);
      pages.set(pathname, new Set(ids));
      const addresses = elements.flatMap(({ attributes: { href, src } }) => href ?? src ?? []);
      links.push(
        ...addresses
          .filter(address => !/^https?:/.test(address))
          .map(address => (address.startsWith('#') ? pathname + address : address)),
      );
    }
    assert.ok(pages.size > 140, String(pages.size));
    for (const anchor of anchors) {
      const [path = '', id = ''] = anchor.split('#');
      assert.ok(pages.get(path)?.has(id), `${anchor} does not exist`);
    }
    const allIds = new Set([...pages.values()].flatMap(ids => [...ids]));
    for (const { operationId } of listOperations()) assert.ok(allIds.has(operationId), operationId);
  });

  it('returns 304 for a matching ETag and 404 for unknown pages', async () => {
    const page = await test.app.inject('/docs/runs/');
    const headers = { 'if-none-match': String(page.headers.etag) };
    assert.equal((await test.app.inject({ url: '/docs/runs', headers })).statusCode, 304);
    assert.equal((await test.app.inject('/docs/nothing')).statusCode, 404);
  });

  it('contains no inline scripts', async () => {
    const page = await test.app.inject('/docs/content');
    assert.doesNotMatch(page.body, /<script(?! src="\/docs\/assets)/);
  });
});

describe('code samples of the API reference', () => {
  const readCode = (operation: Operation, language: CodeSample['language']): string =>
    listSamples(operation, url).find(sample => sample.language === language)?.code ?? '';
  const find = (id: string): Operation =>
    listOperations().find(({ operationId }) => operationId === id) ?? assert.fail(id);
  const env = () => ({ ...process.env, GRAPHWRIGHT_API_KEY: user.key });

  it('have valid syntax for every operation', async t => {
    for (const operation of listOperations())
      await transform(readCode(operation, 'JavaScript'), { format: 'esm', target: 'es2022' });
    const shell = listOperations().map(operation => readCode(operation, 'curl'));
    await run('bash', ['-n', '-c', shell.join('\n')]);
    const python = 'import sys, json\nfor code in json.load(open(0)): compile(code, "sample", "exec")';
    const child = run('python3', ['-c', python]);
    child.child.stdin?.end(JSON.stringify(listOperations().map(operation => readCode(operation, 'Python'))));
    await child.catch(err => {
      if (err.code === 'ENOENT') t.skip('there is no python3 here');
      else throw err;
    });
  });

  it('run in each language', async t => {
    const create = find('createWorkflow');
    const { stdout } = await run('bash', ['-c', `${readCode(create, 'curl')} --silent --fail`], {
      env: env(),
    });
    assert.match(JSON.parse(stdout).id, /^wf_/);
    const javaScript = readCode(create, 'JavaScript').replace('@graphwright/sdk', SDK);
    const program = await run(process.execPath, ['--input-type=module', '-e', javaScript], { env: env() });
    assert.match(program.stdout, /id: 'wf_/);
    const list = readCode(find('listWorkflows'), 'JavaScript').replace('@graphwright/sdk', SDK);
    assert.match(
      (await run(process.execPath, ['--input-type=module', '-e', list], { env: env() })).stdout,
      /wf_/,
    );
    await run('python3', ['-c', readCode(create, 'Python')], { env: env() }).then(
      ({ stdout }) => assert.match(stdout, /^201 \{"id":"wf_/),
      err => {
        if (err.code === 'ENOENT') t.skip('there is no python3 here');
        else throw err;
      },
    );
  });
});

describe('the API reference in a browser', { skip: BROWSER_MISSING_REASON }, () => {
  for (const [name, path] of Object.entries({
    start: '/docs',
    operations: '/docs/runs',
    guide: '/docs/guides/accounts',
    type: '/docs/types/Execution',
  }))
    it(`fits ${path} to phones and desktops in light and dark themes`, async () => {
      await checkViews(browser, { url, path, name: `reference-${name}` }, page =>
        page.locator('[data-search] input').waitFor(),
      );
    });

  it('opens an operation from the search', async () => {
    await using testPage = await browser.open(url);
    const { page } = testPage;
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('cancel run');
    await page.getByRole('link', { name: 'POST /api/v1/executions/{id}/cancel' }).first().click();
    await page.waitForURL('**/docs/executions#cancelExecution');
    assert.deepEqual(testPage.errors, []);
  });

  it('keeps the selected language on the next page', async () => {
    await using testPage = await browser.open(url);
    const { page } = testPage;
    await page.goto('/docs/keys');
    await page.getByRole('tab', { name: 'curl' }).first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.getByRole('tabpanel', { name: 'JavaScript' }).first().isVisible(), true);
    await page.goto('/docs/folders');
    assert.equal(await page.getByRole('tabpanel', { name: 'JavaScript' }).first().isVisible(), true);
    assert.equal(await page.getByRole('tabpanel', { name: 'curl' }).count(), 0);
    assert.deepEqual(testPage.errors, []);
  });

  it('sends a request with the entered API key', async () => {
    await using testPage = await browser.open(url);
    const { page } = testPage;
    await page.goto('/docs/folders');
    await page.getByText('Authentication').click();
    await page.getByLabel('API key').fill(user.key);
    const create = page.locator('#createFolder');
    await create.getByText('Try it').click();
    await create.getByLabel('Body').fill('{"name":"From the reference"}');
    await create.getByRole('button', { name: 'Send POST' }).click();
    await create.getByText('"name": "From the reference"').waitFor();
    const { body } = await user.request<{ name: string }[]>('GET', '/folders');
    assert.ok(body.some(({ name }) => name === 'From the reference'));
    assert.deepEqual(
      testPage.errors.filter(error => !error.includes('401')),
      [],
    );
  });

  it('sends a request with the session of the user', async () => {
    const person = await createPerson(test, await test.createUser({ scopes: ['instance:admin'] }));
    await using testPage = await browser.open(url, VIEWS[0], person.cookie);
    const { page } = testPage;
    await page.goto('/docs/folders');
    await page.getByText('Authentication').click();
    await page.getByText(`Signed in as ${person.email}`).waitFor();
    const create = page.locator('#createFolder');
    await create.getByText('Try it').click();
    await create.getByLabel('Body').fill('{"name":"By session"}');
    await create.getByRole('button', { name: 'Send POST' }).click();
    await create.getByText('"name": "By session"').waitFor();
    assert.deepEqual(testPage.errors, []);
  });
});
