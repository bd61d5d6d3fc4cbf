// Bundles the web application from its sources: scripts split by page, one style sheet, and the scripts that each page
// loads first.
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildOptions, Metafile } from 'esbuild';
import { iconPlugin } from './icon-plugin.ts';
import { createSharedChunkPlugin, ON_DEMAND } from './shared-chunk-plugin.ts';
import { workerPlugin } from './worker-plugin.ts';

/** The repository root; the sources of the application are in its folder `editor`. */
export const ROOT = join(import.meta.dirname, '../..');
const PAGES = `${ON_DEMAND}:editor/pages/`;
const ENTRY = 'editor/main.tsx';

/** The files that the HTML of pages refers to, by name. */
export interface Manifest {
  readonly entry: string;
  /** The style sheet of all pages, to which esbuild adds the styles of modules that are imported on demand. */
  readonly styles: string;
  /** The scripts to preload, by folder in `editor/pages`, so that the browser does not discover them one after another. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
}

export interface Bundle {
  readonly manifest: Manifest;
  /** Keyed by file name, which contains the content hash; compressed copies have `.gz` and `.br` appended. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: [ENTRY],
  outdir: join(ROOT, 'out'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2023',
  jsx: 'automatic',
  minify: true,
  metafile: true,
  write: false,
  legalComments: 'none',
  logLevel: 'silent',
  loader: { '.svg': 'file', '.woff2': 'file' },
} as const satisfies BuildOptions;

/** The modules that `editor/main.tsx` imports. The entry itself cannot be imported here, because it waits for the page. */
const SHARED_CHUNK = createSharedChunkPlugin(ROOT, ['react-dom/client', './editor/frame/app.tsx']);

/** Number of active bundleEditor calls in this process, which share one esbuild process. */
let activeBuilds = 0;

/** Bundles the application. Throws if a source has an error. Aborting the signal stops the bundling. */
export async function bundleEditor(signal?: AbortSignal): Promise<Bundle> {
  // Imported on demand, to keep startup fast.
  const { context, stop } = await import('esbuild');
  activeBuilds++;
  const build = await context({ ...OPTIONS, plugins: [iconPlugin, workerPlugin, SHARED_CHUNK] });
  const cancel = (): void => void build.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const { outputFiles = [], metafile } = await build.rebuild();
    signal?.throwIfAborted();
    const manifest = readManifest(metafile);
    const files = outputFiles
      .map(file => [toName(file.path), file.contents] as const)
      // The style sheet of the entry includes those of on-demand modules.
      .filter(([name]) => name === manifest.styles || !name.endsWith('.css'));
    return { manifest, files: await addCompressed(new Map(files)) };
  } finally {
    signal?.removeEventListener('abort', cancel);
    await build.dispose();
    activeBuilds--;
    // Otherwise the esbuild process would keep running and use 136 MB.
    if (activeBuilds === 0) await stop();
  }
}

const toName = (path: string): string => relative(OPTIONS.outdir, join(ROOT, relative(ROOT, path)));

type Output = Metafile['outputs'][string];

function readManifest({ outputs }: Metafile): Manifest {
  const entries = Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined || !path.endsWith('.js') ? [] : [{ source: entryPoint, path }],
  );
  const main = entries.find(({ source }) => source === ENTRY)?.path ?? '';
  const pages = entries.flatMap(({ source, path }) => {
    const name = getPageName(source);
    const scripts = new Set([...listWithImports(outputs, main), ...listWithImports(outputs, path)]);
    return name === undefined ? [] : [[name, [...scripts].map(getBaseName)] as const];
  });
  return {
    entry: getBaseName(main),
    styles: getBaseName(outputs[main]?.cssBundle ?? ''),
    scripts: Object.fromEntries(pages),
  };
}

/** Returns the page that a source defines: `workflows` for `editor/pages/workflows/page.tsx`. */
function getPageName(source: string): string | undefined {
  const [name = '', file] = source.startsWith(PAGES) ? source.slice(PAGES.length).split('/') : [];
  return file === 'page.tsx' ? name : undefined;
}

const getBaseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the script and its static imports, without dynamic imports. */
function listWithImports(
  outputs: Readonly<Record<string, Output>>,
  path: string,
  paths = new Set<string>(),
): ReadonlySet<string> {
  if (paths.has(path) || outputs[path] === undefined) return paths;
  paths.add(path);
  for (const imported of outputs[path].imports)
    if (imported.kind === 'import-statement') listWithImports(outputs, imported.path, paths);
  return paths;
}

const COMPRESSED = /\.(?:js|css|svg)$/;
const MIN_BYTES = 128;
// Higher Brotli levels take ten times as long for 5 % smaller files.
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Adds compressed copies of the files. */
async function addCompressed(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const compressed = [...files]
    .filter(([name, bytes]) => COMPRESSED.test(name) && bytes.length >= MIN_BYTES)
    .flatMap(([name, bytes]) => [
      promisify(gzip)(bytes, { level: 9 }).then(compressed => [`${name}.gz`, compressed] as const),
      promisify(brotliCompress)(bytes, QUALITY).then(compressed => [`${name}.br`, compressed] as const),
    ]);
  return new Map<string, Uint8Array>([...files, ...(await Promise.all(compressed))]);
}
