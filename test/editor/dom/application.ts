// Bundles the web application into one script for tests in Node, without styles, and runs it in a window of happy-dom.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Plugin } from 'esbuild';
import { ROOT } from '../../../src/bundle/bundle-editor.ts';
import { iconPlugin } from '../../../src/bundle/icon-plugin.ts';
import { hashSources } from '../../../src/bundle/source-hash.ts';

const FOLDER = join(ROOT, 'node_modules/.cache/editor-in-node');

/** Does what `editor/main.tsx` does when it is called, because a script that is compiled as a function cannot wait. */
const ENTRY = `
  import { createRoot } from 'react-dom/client';
  import { App } from './editor/frame/app.tsx';
  import { preloadPage } from './editor/frame/pages.ts';
  export async function start() {
    await preloadPage(location.pathname);
    const root = createRoot(document.getElementById('app'));
    root.render(<App />);
    return () => root.unmount();
  }`;

/** Class names are the names in the source, so that tests of styles are possible only in Chromium. */
const stylePlugin: Plugin = {
  name: 'styles',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, () => ({
      contents: 'export default new Proxy({}, { get: (_, name) => String(name) });',
    }));
  },
};

/** A worker is imported as a data URL with its whole script. */
const workerPlugin: Plugin = {
  name: 'workers',
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice('worker:'.length)),
      namespace: 'worker',
    }));
    build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const { outputFiles = [] } = await build.esbuild.build({
        entryPoints: [path],
        bundle: true,
        format: 'iife',
        target: 'es2023',
        write: false,
      });
      const url = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
      return { contents: `export default ${JSON.stringify(url)};` };
    });
  },
};

let loading: Promise<string> | undefined;

/** Returns the script, which is bundled once for the current sources. */
export function loadApplication(): Promise<string> {
  loading ??= readOrBundle();
  return loading;
}

async function readOrBundle(): Promise<string> {
  const file = join(FOLDER, `${await hashSources()}.js`);
  const stored = await readFile(file, 'utf8').catch(() => undefined);
  if (stored !== undefined) return stored;
  const script = await bundle();
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, script);
  await rename(unfinished, file);
  return script;
}

async function bundle(): Promise<string> {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'tsx' },
    bundle: true,
    format: 'iife',
    globalName: 'application',
    target: 'es2023',
    jsx: 'automatic',
    write: false,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'import.meta.url': '"http://localhost/"', 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'dataurl' },
    plugins: [iconPlugin, workerPlugin, stylePlugin],
  });
  await stop();
  return outputFiles[0]?.text ?? '';
}

/** The globals of a window by name. */
export type Globals = Readonly<Record<string, unknown>>;

interface Application {
  /** Renders the page at the window's URL. Resolves to a function that removes it. */
  start(): Promise<() => void>;
}

type CreateApplication = (...values: unknown[]) => Application;

/** The compiled script by the names of its parameters. All windows share it, so that each function is compiled only once. */
const compiled = new Map<string, CreateApplication>();

/** Evaluates the script. Its globals are parameters, so that each window has its own instance of all modules. */
export function createApplication(script: string, globals: Globals): Application {
  const names = Object.keys(globals);
  const key = names.join();
  const create =
    compiled.get(key) ??
    (compileFunction(`${script}\nreturn application;`, names, {
      filename: 'editor.js',
    }) as CreateApplication);
  compiled.set(key, create);
  return create(...Object.values(globals));
}

/** Runs a script of a page that the service renders. */
export function runScript(script: string, globals: Globals): void {
  const run = compileFunction(script, Object.keys(globals)) as (...values: unknown[]) => void;
  run(...Object.values(globals));
}

/** Evaluates a function of a test in the window, as Chromium would: it sees the globals of the window. */
export function evaluateIn(globals: Globals, source: string): unknown {
  return (
    compileFunction(`return (${source}\n);`, Object.keys(globals)) as (...values: unknown[]) => unknown
  )(...Object.values(globals));
}
