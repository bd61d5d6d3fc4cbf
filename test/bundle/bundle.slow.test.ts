// Tests the web application's files: what the bundle contains, and how bundles are stored between starts and versions.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Bundle, bundleEditor, ROOT } from '../../src/bundle/bundle-editor.ts';
import { createEditorFiles, openBundle } from '../../src/bundle/editor-files.ts';
import { hashSources } from '../../src/bundle/source-hash.ts';
import { readBundle, removeOldBundles, writeBundle } from '../../src/bundle/stored-bundles.ts';
import { EDITOR_FOLDER } from '../support/editor-bundle.ts';
import { waitUntil } from '../support/processes.ts';
import { isNightly } from '../support/tier.ts';

const DAY_MS = 86_400_000;
/** By day, the test of a folder that is not writable creates the only bundle. */
const BY_DAY = !isNightly && 'runs at night';
const SMALL: Bundle = {
  manifest: { entry: 'main.js', styles: 'main.css', scripts: {} },
  files: new Map([['main.js', Buffer.from('1')]]),
};
const [HASH, OTHER] = ['a'.repeat(20), 'b'.repeat(20)];

const rethrow = (err: unknown): never => {
  throw err;
};

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-bundle-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** The editor, and pages with forms and charts. */
const LARGE_PAGES: ReadonlySet<string> = new Set(['editor', 'batch', 'settings']);

describe('bundleEditor', () => {
  let bundle: Bundle;
  before(async () => {
    // The stored bundle of these sources. A test below creates one.
    ({ bundle } = await openBundle({ folder: EDITOR_FOLDER, now: Date.now, onStoreError: rethrow }));
  });

  it('includes every page with the scripts and styles that the page preloads', async () => {
    const { manifest, files } = bundle;
    const folders = await readdir(join(ROOT, 'editor/pages'));
    assert.deepEqual(Object.keys(manifest.scripts).sort(), folders.sort());
    for (const [page, scripts] of Object.entries(manifest.scripts)) {
      assert.ok(scripts.includes(manifest.entry), page);
      for (const name of [...scripts, manifest.styles]) assert.ok(files.has(name), name);
      const imported = scripts.flatMap(name =>
        [...textOf(bundle, name).matchAll(/\bfrom"\.\/([^"]+)"|\bimport"\.\/([^"]+)"/g)].map(
          ([, from, sideEffect]) => from ?? sideEffect ?? '',
        ),
      );
      for (const name of imported) assert.ok(scripts.includes(name), `${page} does not preload ${name}`);
    }
  });

  it('keeps the scripts of a first load small', () => {
    const { scripts } = bundle.manifest;
    const sizeOf = (page: string): number =>
      (scripts[page] ?? [])
        .map(name => (bundle.files.get(`${name}.br`) ?? bundle.files.get(name))?.length ?? 0)
        .reduce((sum, size) => sum + size, 0);
    for (const page of Object.keys(scripts).filter(name => !LARGE_PAGES.has(name)))
      assert.ok(sizeOf(page) <= 110_000, `/${page}: ${sizeOf(page)}`);
    assert.ok(sizeOf('workflows') <= 109_000, `/workflows: ${sizeOf('workflows')}`);
    assert.ok(sizeOf('editor') <= 270_000, `/flow: ${sizeOf('editor')}`);
    const shared = Object.values(scripts)
      .map(names => new Set(names))
      .reduce((all, names) => all.intersection(names));
    assert.equal(shared.size, 2, 'the entry and what it imports');
  });

  it('writes the styles of all pages into one style sheet', async () => {
    const css = textOf(bundle, bundle.manifest.styles);
    assert.equal([...bundle.files.keys()].filter(name => name.endsWith('.css')).length, 1);
    assert.match(css, /\.react-flow__node\b/);
  });

  it('names each file by its content and adds compressed copies', () => {
    let compressed = 0;
    for (const [name, bytes] of bundle.files) {
      if (/\.(?:gz|br)$/.test(name)) continue;
      assert.match(name, /^[\w.-]+-[A-Z0-9]{8}\.(?:js|css|svg|woff2)$/);
      const [gzip, brotli] = [bundle.files.get(`${name}.gz`), bundle.files.get(`${name}.br`)];
      if (gzip === undefined || brotli === undefined) continue;
      compressed++;
      assert.deepEqual(gunzipSync(gzip), Buffer.from(bytes));
      assert.deepEqual(brotliDecompressSync(brotli), Buffer.from(bytes));
    }
    assert.ok(compressed > 20);
  });

  it('creates files without requests to other hosts and without eval', () => {
    for (const [name, bytes] of bundle.files)
      if (name.endsWith('.js') || name.endsWith('.css')) {
        const text = Buffer.from(bytes).toString();
        assert.doesNotMatch(text, /@import|url\(["']?(?:https?:)?\/\/|\bnew Function\(|\beval\(/, name);
      }
  });

  it('stops when its signal is aborted', async () => {
    await assert.rejects(bundleEditor(AbortSignal.abort(new Error('stopped'))), /stopped|cancel/);
  });
});

describe('stored bundles', () => {
  it('are read by the hash of their sources', async () => {
    await writeBundle(folder, HASH, SMALL);
    const read = await readBundle(folder, HASH);
    assert.deepEqual(read?.manifest, SMALL.manifest);
    assert.deepEqual([...(read?.files ?? [])], [...SMALL.files]);
    assert.equal(await readBundle(folder, OTHER), undefined);
  });

  it('are complete if two processes write the same bundle at the same time', async () => {
    await Promise.all([writeBundle(folder, OTHER, SMALL), writeBundle(folder, OTHER, SMALL)]);
    assert.deepEqual([...((await readBundle(folder, OTHER))?.files ?? [])], [...SMALL.files]);
    assert.deepEqual(
      (await readdir(folder)).filter(name => name.startsWith('.draft-')),
      [],
    );
  });

  it('are deleted after a week if their sources have changed', async () => {
    const oldTime = (Date.now() - 8 * DAY_MS) / 1000;
    for (const name of ['.draft-x1', 'notes', 'c'.repeat(20)]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'x'), '');
      await utimes(join(folder, name), oldTime, oldTime);
    }
    await removeOldBundles(folder, HASH, Date.now());
    assert.deepEqual((await readdir(folder)).sort(), [HASH, OTHER, 'notes'].sort());
  });

  it('are reused by the next start if the sources have not changed', async () => {
    const bundles = join(folder, 'reused');
    const hash = await hashSources();
    assert.equal(await hashSources(), hash);
    const logTexts: string[] = [];
    const log = {
      info: (_: object, text: string) => logTexts.push(text),
      warn: assert.fail,
      error: assert.fail,
    };
    await writeBundle(bundles, hash, SMALL);
    const files = createEditorFiles({ folder: bundles, now: Date.now, log });
    assert.equal(files.state().bundle, undefined);
    await files.start();
    assert.equal(files.state().bundle?.manifest.entry, 'main.js');
    assert.deepEqual(logTexts, []);
    await files.close();
  });

  it('are rebuilt if they are damaged', { skip: BY_DAY }, async () => {
    const bundles = join(folder, 'damaged');
    const hash = await hashSources();
    await mkdir(join(bundles, hash), { recursive: true });
    await writeFile(join(bundles, hash, 'manifest.json'), '{"entry":');
    const log = { info: () => 0, warn: () => 0, error: assert.fail };
    const files = createEditorFiles({ folder: bundles, now: Date.now, log });
    await files.start();
    assert.ok((files.state().bundle?.files.size ?? 0) > 20);
    await files.close();
  });

  it('are served from memory if their folder is not writable', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const warnings: string[] = [];
    const log = { info: () => 0, warn: (_: object, text: string) => warnings.push(text), error: assert.fail };
    const files = createEditorFiles({ folder: join(blocked, 'below'), now: Date.now, log });
    await files.start();
    assert.ok((files.state().bundle?.files.size ?? 0) > 20);
    assert.ok(warnings.length > 0);
    assert.equal(await readFile(blocked, 'utf8'), 'a file where a folder should be');
    await files.close();
  });

  it('leave no bundler process running', { skip: process.platform !== 'linux' }, async () => {
    const listCommands = async (): Promise<readonly string[]> => {
      const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
      const pids = children.trim().split(' ');
      return Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    };
    // A bundler that was told to stop exits a moment later.
    await waitUntil('the bundler to exit', async () =>
      (await listCommands()).every(command => !command.includes('esbuild')),
    );
  });
});

const textOf = ({ files }: Bundle, name: string): string => Buffer.from(files.get(name) ?? []).toString();
