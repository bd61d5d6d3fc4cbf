// Bundles the web application from its sources: scripts split by page, styles, and the files that each page loads
// first.
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildOptions, Metafile } from 'esbuild';
import { iconPlugin } from './icon-plugin.ts';
import { workerPlugin } from './worker-plugin.ts';

/** The repository root; the sources of the application are in its folder `editor`. */
export const ROOT = join(import.meta.dirname, '../..');
const PAGES = 'editor/pages/';
const ENTRY = 'editor/main.tsx';

/** The files that a page's HTML refers to, by name. */
export interface PageFiles {
  /** Preloaded, so that the browser does not discover them one after another. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export interface Manifest {
  readonly entry: string;
  readonly styles: readonly string[];
  /** Keyed by the page's folder below `editor/pages`. */
  readonly pages: Readonly<Record<string, PageFiles>>;
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

/** Number of active bundleEditor calls in this process, which share one esbuild process. */
let activeBuilds = 0;

/** Bundles the application. Throws if a source has an error. The signal stops the work. */
export async function bundleEditor(signal?: AbortSignal): Promise<Bundle> {
  // Imported on demand, to keep startup fast.
  const { context, stop } = await import('esbuild');
  activeBuilds++;
  const build = await context({ ...OPTIONS, plugins: [iconPlugin, workerPlugin] });
  const cancel = (): void => void build.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const { outputFiles = [], metafile } = await build.rebuild();
    signal?.throwIfAborted();
    const plain = new Map(outputFiles.map(file => [toName(file.path), file.contents]));
    return { manifest: readManifest(metafile), files: await addCompressed(plain) };
  } finally {
    signal?.removeEventListener('abort', cancel);
    await build.dispose();
    activeBuilds--;
    // The esbuild process would keep running, with 136 MB.
    if (activeBuilds === 0) await stop();
  }
}

const toName = (path: string): string => relative(OPTIONS.outdir, join(ROOT, relative(ROOT, path)));

type Output = Metafile['outputs'][string];

function readManifest({ outputs }: Metafile): Manifest {
  const byEntry = new Map(
    Object.entries(outputs).flatMap(([path, output]) =>
      output.entryPoint === undefined || !path.endsWith('.js') ? [] : [[output.entryPoint, path] as const],
    ),
  );
  const listPageFiles = (source: string): PageFiles & { readonly entry: string } => {
    const path = byEntry.get(source) ?? '';
    return {
      entry: getBaseName(path),
      scripts: [...listWithImports(outputs, path)].map(getBaseName),
      styles: [outputs[path]?.cssBundle].flatMap(style => (style === undefined ? [] : [getBaseName(style)])),
    };
  };
  const main = listPageFiles(ENTRY);
  const pages = [...byEntry.keys()].flatMap(source => {
    const name = getPageName(source);
    if (name === undefined) return [];
    const { scripts, styles } = listPageFiles(source);
    return [[name, { scripts: [...new Set([...main.scripts, ...scripts])], styles }] as const];
  });
  return { entry: main.entry, styles: main.styles, pages: Object.fromEntries(pages) };
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

async function addCompressed(
  plain: ReadonlyMap<string, Uint8Array>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const compressed = [...plain]
    .filter(([name, bytes]) => COMPRESSED.test(name) && bytes.length >= MIN_BYTES)
    .flatMap(([name, bytes]) => [
      promisify(gzip)(bytes, { level: 9 }).then(compressed => [`${name}.gz`, compressed] as const),
      promisify(brotliCompress)(bytes, QUALITY).then(compressed => [`${name}.br`, compressed] as const),
    ]);
  return new Map<string, Uint8Array>([...plain, ...(await Promise.all(compressed))]);
}
