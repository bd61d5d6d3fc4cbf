// Tests the page of an app: without script, in a browser by keyboard, and embedded in other sites.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import {
  createEmbedKey,
  createVisitor,
  runAsVisitor,
  saveApp,
  signVisitor,
  waitForAppRun,
} from '../support/apps/visitors.ts';
import { BROWSER_MISSING_REASON, openBrowser, type TestBrowser } from '../support/browser.ts';
import { uploadPicture } from '../support/media/files.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const SECRET = 'whisper of the hidden lighthouse';
const GRAPH = {
  nodes: [
    node('secret_topic', 'input:text', { value: SECRET }),
    node('secret_amount', 'input:number', { value: 3 }),
    node('secret_mood', 'input:text', { value: 'calm' }),
    node('secret_end', 'output:preview'),
  ],
  edges: [edge('secret_topic.text > secret_end.input')],
};
const SETTINGS = {
  title: 'Poster maker',
  description: 'Describe a scene and get a poster for it.',
  inputs: [
    {
      nodeId: 'secret_topic',
      label: 'Scene',
      placeholder: 'A fox in the snow',
      help: 'One sentence is enough.',
      isRequired: true,
    },
    { nodeId: 'secret_mood', label: 'Mood', control: 'choice', choices: ['calm', 'wild'], group: 'Style' },
    { nodeId: 'secret_amount', label: 'Details', control: 'slider', min: 1, max: 9, group: 'Style' },
  ],
  outputs: ['secret_end'],
  audience: 'anyone',
};

let service: TestService;
let url: string;
let browser: TestBrowser;
before(async () => {
  const settings = await ownAddressSettings();
  service = await startTestService({ ...settings, TRUST_PROXY: 'true' });
  url = service.url;
  if (!BROWSER_MISSING_REASON) browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await service.close();
});

const createDefaultApp = async (overrides: object = {}): Promise<{ slug: string; workflowId: string }> => {
  const workflowId = await service.createWorkflow(GRAPH);
  const { id } = await service.runWorkflow(workflowId, {
    inputs: { secret_topic: 'A harbor at dawn, in watercolor', secret_amount: 5 },
  });
  const slug = await saveApp(service, workflowId, { ...SETTINGS, examples: [id], ...overrides });
  return { slug, workflowId };
};

/** Returns the function in docs/apps.md that signs a visitor's token. */
async function readDocumentedSigner(): Promise<(key: string, slug: string, name: string) => string> {
  const text = await readFile(new URL('../../docs/apps.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(text) ?? [];
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return module.signVisitor;
}

/** Starts another website. To browsers, localhost and 127.0.0.1 are different sites. */
async function startWebsite() {
  let html = '';
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  await once(server.listen(0), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    show: (page: string) => {
      html = page;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

describe('the app page', () => {
  it('renders the form and the examples without revealing the graph', async () => {
    const { slug, workflowId } = await createDefaultApp({ embedOrigins: ['https://host.example'] });
    const visitor = createVisitor(service);
    const page = await visitor.request('GET', `/a/${slug}`);
    assert.equal(page.status, 200);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /frame-ancestors https:\/\/host\.example$/,
    );
    assert.equal(page.headers.get('x-frame-options'), null);
    assert.match(page.headers.get('set-cookie') ?? '', /^app-visitor=[\w-]{22}; .*HttpOnly; SameSite=Lax/);
    assert.match(page.text, /<textarea id="input_1"[^>]*aria-required="true"/);
    assert.match(page.text, /A harbor at dawn/);
    for (const text of [page.text, (await visitor.request('GET', `/a/${slug}/runs/run_nothing`)).text]) {
      assert.doesNotMatch(text, /secret|lighthouse|input:text|output:preview|wf_|ex_0/i);
      assert.ok(!text.includes(workflowId));
    }
    const otherApp = await createDefaultApp();
    const withoutEmbedding = await visitor.request('GET', `/a/${otherApp.slug}`);
    assert.match(withoutEmbedding.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'$/);
    const { slug: hidden } = await createDefaultApp({ audience: 'workspace' });
    assert.equal((await visitor.request('GET', `/a/${hidden}`)).status, 404);
  });

  it('has the font of the product, and none of the menus of its site', async () => {
    const { slug } = await createDefaultApp();
    const { text } = await createVisitor(service).request('GET', `/a/${slug}`);
    assert.doesNotMatch(text, /href="\/(?:features|models|blog|docs|sitemap\.xml|blog\/rss\.xml)"/);
    assert.match(text, /Made with <a href="\/">Graphwright<\/a>.*href="\/sign-in"/s);
    const style = /href="(\/pages\/app-[^"]+\.css)"/.exec(text)?.[1] ?? '';
    const font = /url\((\/pages\/inter-latin-400-[^)]+)\)/.exec(await (await fetch(url + style)).text())?.[1];
    const response = await fetch(`${url}${font}`);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'font/woff2']);
    assert.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4), 'wOF2');
  });

  it('shows the values that the workflow has for optional fields', async () => {
    const inputs = SETTINGS.inputs.map(input => ({ ...input, isRequired: false }));
    const { slug } = await createDefaultApp({ inputs });
    const { text } = await createVisitor(service).request('GET', `/a/${slug}`);
    assert.match(text, /One sentence is enough\. If you leave this empty, the app uses its own value\.</);
    assert.equal(text.split('uses its own value').length, 2);
    assert.match(text, /<textarea id="input_1"[^>]*>whisper of the hidden lighthouse<\/textarea>/);
    const view = await service.request<{ inputSchema: { properties: Record<string, object> } }>(
      'GET',
      `/apps/${slug}`,
    );
    assert.equal((view.body.inputSchema.properties.input_1 as { default?: unknown }).default, SECRET);
  });

  it('shows a frame of a video that is an example', async () => {
    const id = await service.createWorkflow({
      nodes: [
        node('video', 'video:renderer', { templateId: 'logo-sting', props: { name: 'Ember' } }),
        node('name', 'input:text', { value: 'Ember' }),
        node('end', 'output:preview'),
      ],
      edges: [edge('name.text > video.name'), edge('video.video > end.input')],
    });
    const { id: example } = await service.runWorkflow(id);
    const slug = await saveApp(service, id, {
      title: 'Sting',
      inputs: [],
      outputs: ['end'],
      examples: [example],
      audience: 'anyone',
    });
    const { text } = await createVisitor(service).request('GET', `/a/${slug}?example=1`);
    assert.match(text, /<span class="thumb"><img src="[^"]+\.jpe?g"/);
    assert.match(text, /<video src="[^"]+\.mp4" poster="[^"]+\.jpe?g" controls/);
  });

  it('says that a run in progress has no result yet', async () => {
    const id = await service.createWorkflow({
      nodes: [
        node('text', 'input:text', { value: 'Hi' }),
        node('ask', 'logic:approval'),
        node('end', 'output:preview'),
      ],
      edges: [edge('text.text > ask.input'), edge('ask.approved > end.input')],
    });
    const slug = await saveApp(service, id, { inputs: [], outputs: ['end'] });
    assert.equal((await service.request('POST', `/apps/${slug}/run`, { inputs: {} })).status, 202);
    const headers = { authorization: `Bearer ${service.key}` };
    const text = await (await fetch(`${url}/a/${slug}`, { headers })).text();
    assert.match(text, /Your results<.*<span class="words">No result yet<\/span>/s);
  });

  it('refuses a second file for a field', async () => {
    const id = await service.createWorkflow({
      nodes: [node('photo', 'input:image'), node('end', 'output:preview')],
      edges: [edge('photo.image > end.input')],
    });
    const slug = await saveApp(service, id, {
      inputs: [{ nodeId: 'photo', label: 'Photo' }],
      outputs: ['end'],
    });
    const form = new FormData();
    const file = new Blob([Uint8Array.from(await plainImage(4, 4, '#336699'))], { type: 'image/png' });
    for (const name of ['a.png', 'b.png']) form.append('input_1', file, name);
    const headers = { authorization: `Bearer ${service.key}` };
    const response = await fetch(`${url}/a/${slug}`, { method: 'POST', body: form, headers });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /id="input_1-error">Photo: Choose only one file\.</);
  });

  it('shows an output label only if the owner set one', async () => {
    const visitor = createVisitor(service);
    for (const outputLabels of [{}, { secret_end: 'Your poster' }]) {
      const { slug } = await createDefaultApp({ outputLabels });
      const { text } = await visitor.request('GET', `/a/${slug}?example=1`);
      assert.equal(
        /<figcaption[^>]*>(.*?)<\/figcaption>/.exec(text)?.[1],
        'secret_end' in outputLabels ? 'Your poster' : undefined,
      );
    }
  });

  it('loads at most 60 KB of scripts', async () => {
    const { slug } = await createDefaultApp();
    const page = await createVisitor(service).request('GET', `/a/${slug}`);
    const paths = [...page.text.matchAll(/(?:src|data-solver)="(\/pages\/[^"]+\.js)"/g)].map(
      match => match[1] ?? '',
    );
    assert.equal(paths.length, 2);
    let bytes = 0;
    for (const path of paths) bytes += (await (await fetch(url + path)).arrayBuffer()).byteLength;
    assert.ok(bytes > 1000 && bytes <= 60_000, `${bytes}`);
  });

  it('runs the app without scripts for signed-in users', async () => {
    const { slug } = await createDefaultApp();
    const send = (values: Record<string, string>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(values)) form.append(name, value);
      const headers = { authorization: `Bearer ${service.key}` };
      return fetch(`${url}/a/${slug}`, { method: 'POST', body: form, headers, redirect: 'manual' });
    };
    const refusal = await send({ input_1: '', input_3: '5' });
    assert.equal(refusal.status, 400);
    assert.match(await refusal.text(), /id="input_1-error">Scene: Fill in this field\.</);
    const response = await send({ input_1: 'A moth', input_2: 'wild', input_3: '5' });
    assert.equal(response.status, 303);
    const location = response.headers.get('location') ?? '';
    const runId = location.split('/').at(-1) ?? '';
    await waitForAppRun(service, slug, runId);
    const page = await (
      await fetch(url + location, { headers: { authorization: `Bearer ${service.key}` } })
    ).text();
    assert.match(page, /A moth<\/div>/);
    assert.match(page, /<option selected>wild/);
    assert.match(page, /class="app-form".*data-run>Run again<.*class="app-result"/s);
    const visitorPage = await createVisitor(service).request('GET', location);
    assert.match(visitorPage.text, /class="app-result".*class="app-form".*data-run>Run</s);
    assert.match(visitorPage.text, /A moth<\/div>/);
    assert.doesNotMatch(visitorPage.text, /<option selected>wild/);
  });

  it('allows copying the workflow only if allowsDuplicate is true', async () => {
    for (const allowsDuplicate of [true, false]) {
      const { slug } = await createDefaultApp({ allowsDuplicate });
      const headers = {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const response = await fetch(`${url}/a/${slug}/duplicate`, {
        method: 'POST',
        headers,
        body: '',
        redirect: 'manual',
      });
      assert.equal(response.status, allowsDuplicate ? 303 : 403);
      if (allowsDuplicate) assert.match(response.headers.get('location') ?? '', /^\/flow\/wf_/);
    }
  });
});

it("lets editors add and remove visitors' results in the gallery without scripts", async () => {
  const { slug } = await createDefaultApp({ showsGallery: true });
  const visitor = createVisitor(service);
  const { body } = await runAsVisitor(visitor, slug, { input_1: 'A heron at noon' });
  await waitForAppRun(visitor, slug, body.runId);
  const owner = createVisitor(service, { authorization: `Bearer ${service.key}` });
  const readPage = async (client: typeof visitor, path = '') =>
    (await client.request('GET', `/a/${slug}${path}`)).text;
  const run = `/runs/${body.runId}`;
  const readGallery = (text: string) => /data-gallery>(.*?)<\/ul>/s.exec(text)?.[1] ?? '';
  assert.match(await readPage(owner), /data-visitors>.*A heron at noon/s);
  assert.match(await readPage(owner, run), /gallery\?add=true.*Add to gallery/s);
  for (const path of ['', run])
    assert.doesNotMatch(await readPage(visitor, path), /data-visitors|Add to gallery/);
  const updateGallery = (client: typeof visitor, add: boolean) =>
    client.request('POST', `/a/${slug}${run}/gallery?add=${add}`);
  assert.equal((await updateGallery(visitor, true)).status, 401);
  const addition = await updateGallery(owner, true);
  assert.deepEqual([addition.status, addition.headers.get('location')], [303, `/a/${slug}${run}`]);
  assert.match(readGallery(await readPage(visitor)), /A heron at noon/);
  assert.match(await readPage(owner, run), /Remove from gallery/);
  assert.equal((await updateGallery(owner, false)).status, 303);
  assert.equal(readGallery(await readPage(visitor)), '');
});

describe('the app page in a browser', { skip: BROWSER_MISSING_REASON }, () => {
  it('runs the app for an anonymous visitor who uses only the keyboard', async () => {
    const { slug } = await createDefaultApp({ showsGallery: true });
    await using tab = await browser.open(url);
    const { page } = tab;
    await page.goto(`/a/${slug}`);
    await page.getByLabel('Scene').focus();
    await page.keyboard.type('A whale above the city');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Run' }).press('Enter');
    await page.locator('[data-status=COMPLETED]').waitFor();
    await page.locator('.output', { hasText: 'A whale above the city' }).waitFor();
    assert.match(page.url(), new RegExp(`/a/${slug}/runs/run_`));
    await page.getByRole('heading', { name: 'Your results' }).waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.getByRole('button', { name: 'Copy Text' }).waitFor();
    const until = await page.getByText('The link works until').textContent();
    assert.match(until ?? '', /until \d{1,2} \w{3} \d{4}, \d\d:\d\d\.$/, 'in the time zone of the visitor');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Text' }).click();
    assert.equal((await download).suggestedFilename(), 'Text.txt');
    assert.equal(await readFile(await (await download).path(), 'utf8'), 'A whale above the city');
    await page.reload();
    assert.equal(await page.getByLabel('Scene').inputValue(), 'A whale above the city');
    await page.goto(`/a/${slug}`);
    await page.locator('[data-examples] a').click();
    await page.locator('.output', { hasText: 'A harbor at dawn, in watercolor' }).waitFor();
    await page.getByText('Example', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Scene').inputValue(), 'A harbor at dawn, in watercolor');
    assert.equal(await page.getByLabel('Details').inputValue(), '5');
    assert.deepEqual(tab.errors, []);
  });

  it('uploads a file of an anonymous visitor in place of the file of the app', async () => {
    const { mediaId } = await uploadPicture(service);
    const id = await service.createWorkflow({
      nodes: [node('photo', 'input:image', { mediaId }), node('end', 'output:preview')],
      edges: [edge('photo.image > end.input')],
    });
    const inputs = [{ nodeId: 'photo', label: 'Photo', showsDefault: true }];
    const slug = await saveApp(service, id, { inputs, outputs: ['end'], audience: 'anyone' });
    await using tab = await browser.open(url);
    const { page } = tab;
    await page.goto(`/a/${slug}`);
    const buffer = await plainImage(4, 4, '#336699');
    const photo = page.getByLabel('Photo');
    const assertShows = async (isOwn: boolean): Promise<void> => {
      const note = page.getByText('Without a file of yours, the app uses');
      assert.deepEqual(
        [await note.isVisible(), await page.locator('.chosen img:visible').getAttribute('alt')],
        isOwn ? [true, 'The file of the app'] : [false, 'The chosen file'],
      );
    };
    const readColor = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('[type=file]')).color");
    await assertShows(true);
    await photo.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await assertShows(false);
    await photo.setInputFiles([]);
    await assertShows(true);
    await photo.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    const uploads: string[] = [];
    page.on('request', request => {
      if (request.url().endsWith('/media')) uploads.push(request.method());
    });
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('[data-status=COMPLETED] .output img').waitFor();
    await assertShows(false);
    assert.equal(await photo.inputValue(), 'C:\\fakepath\\a.png', 'the field still names the file');
    assert.notEqual(await readColor(), 'rgba(0, 0, 0, 0)');
    const firstUrl = page.url();
    let answer = (): void => undefined;
    const answered = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/challenge', async route => {
      await answered;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.locator('.app-outputs[aria-busy=true] img').waitFor();
    answer();
    await page.waitForURL(to => to.href !== firstUrl);
    await page.locator('[data-status=COMPLETED] .app-outputs:not([aria-busy]) img').waitFor();
    assert.deepEqual(uploads, ['POST'], 'the second run uses the upload of the first one');
    await page.reload();
    await assertShows(false);
    assert.equal(await readColor(), 'rgba(0, 0, 0, 0)', '"No file chosen" is hidden');
    assert.deepEqual(tab.errors, []);
  });

  it('focuses the first invalid field and shows its error', async () => {
    const { slug } = await createDefaultApp();
    await using tab = await browser.open(url);
    const { page } = tab;
    await page.goto(`/a/${slug}`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('#input_1-error', { hasText: 'Fill in this field' }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'input_1');
  });

  it('runs in a frame only on the sites in embedOrigins', async () => {
    await using site = await startWebsite();
    await using otherSite = await startWebsite();
    const { slug, workflowId } = await createDefaultApp({
      audience: 'signed_in',
      embedOrigins: [site.origin],
    });
    const key = await createEmbedKey(service, workflowId);
    const token = (await readDocumentedSigner())(key, slug, 'ada');
    const html = `<!doctype html><title>Host</title><iframe src="${url}/a/${slug}?visitor=${token}" title="App" width="900" height="700"></iframe>`;
    for (const each of [site, otherSite]) each.show(html);
    await using tab = await browser.open(url);
    const { page } = tab;
    await page.goto(site.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Scene').fill('A crane in the fog');
    await frame.getByRole('button', { name: 'Run' }).click();
    await frame.locator('[data-status=COMPLETED]').waitFor();
    await frame.locator('.output', { hasText: 'A crane in the fog' }).waitFor();
    await frame.getByRole('heading', { name: 'Your results' }).waitFor();
    assert.equal(await frame.locator('.bar').isVisible(), false);
    assert.deepEqual(tab.errors, []);
    await page.goto(otherSite.origin);
    await waitUntil('the frame to be refused', () =>
      tab.errors.some(text => text.includes('frame-ancestors')),
    );
    assert.equal(await frame.getByLabel('Scene').count(), 0);
  });

  it('asks a visitor with an expired token to reload the embedding page', async () => {
    await using site = await startWebsite();
    const { slug, workflowId } = await createDefaultApp({
      audience: 'signed_in',
      embedOrigins: [site.origin],
    });
    const token = await signVisitor(await createEmbedKey(service, workflowId), slug, { seconds: -60 });
    site.show(
      `<!doctype html><title>Host</title><iframe src="${url}/a/${slug}?visitor=${token}" title="App"></iframe>`,
    );
    await using tab = await browser.open(url);
    const { page } = tab;
    await page.goto(site.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByText('Your access to this app has expired. Reload the page.').waitFor();
    assert.equal(await frame.locator('.bar').isVisible(), false);
    const link = frame.getByRole('link', { name: 'Open the app in a new tab' });
    assert.equal(await link.getAttribute('href'), `/a/${slug}`);
    assert.equal((await fetch(`${url}/a/${slug}?visitor=${token}`)).status, 401);
  });
});
