// The web application's files from its sources: scripts split by page, their styles, and what each page loads first.
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildOptions, Metafile } from 'esbuild';
import { iconPlugin } from './icon-plugin.ts';
import { workerPlugin } from './worker-plugin.ts';

/** The repository: the application's sources lie in its folder `editor`. */
export const ROOT = join(import.meta.dirname, '../..');
const PAGES = 'editor/pages/';
const ENTRY = 'editor/main.tsx';

/** What the HTML of a page names, as file names. */
export interface PageFiles {
  /** Loaded at once, so that the browser need not find them one after the other. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export interface Manifest {
  readonly entry: string;
  readonly styles: readonly string[];
  /** By the page's folder below `editor/pages`. */
  readonly pages: Readonly<Record<string, PageFiles>>;
}

export interface Bundle {
  readonly manifest: Manifest;
  /** By file name, which names the content's hash; `.gz` and `.br` stand next to what they compress. */
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

/** Calls of bundleEditor in this process: they share one process of esbuild. */
let underWay = 0;

/** Throws where a source is wrong. The signal stops the work. */
export async function bundleEditor(signal?: AbortSignal): Promise<Bundle> {
  // Its package is loaded where something is to be bundled, not at each start.
  const { context, stop } = await import('esbuild');
  underWay++;
  const build = await context({ ...OPTIONS, plugins: [iconPlugin, workerPlugin] });
  const cancel = (): void => void build.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const { outputFiles = [], metafile } = await build.rebuild();
    signal?.throwIfAborted();
    const plain = new Map(outputFiles.map(file => [nameOf(file.path), file.contents]));
    return { manifest: readManifest(metafile), files: await addCompressed(plain) };
  } finally {
    signal?.removeEventListener('abort', cancel);
    await build.dispose();
    underWay--;
    // Its process would stay, with 136 MB.
    if (underWay === 0) await stop();
  }
}

const nameOf = (path: string): string => relative(OPTIONS.outdir, join(ROOT, relative(ROOT, path)));

type Output = Metafile['outputs'][string];

function readManifest({ outputs }: Metafile): Manifest {
  const byEntry = new Map(
    Object.entries(outputs).flatMap(([path, output]) =>
      output.entryPoint === undefined || !path.endsWith('.js') ? [] : [[output.entryPoint, path] as const],
    ),
  );
  const filesOf = (source: string): PageFiles & { readonly entry: string } => {
    const path = byEntry.get(source) ?? '';
    return {
      entry: bare(path),
      scripts: [...withImports(outputs, path)].map(bare),
      styles: [outputs[path]?.cssBundle].flatMap(style => (style === undefined ? [] : [bare(style)])),
    };
  };
  const main = filesOf(ENTRY);
  const pages = [...byEntry.keys()].flatMap(source => {
    const name = pageOf(source);
    if (name === undefined) return [];
    const { scripts, styles } = filesOf(source);
    return [[name, { scripts: [...new Set([...main.scripts, ...scripts])], styles }] as const];
  });
  return { entry: main.entry, styles: main.styles, pages: Object.fromEntries(pages) };
}

/** `editor/pages/workflows/page.tsx` is the page `workflows`. */
function pageOf(source: string): string | undefined {
  const [name = '', file] = source.startsWith(PAGES) ? source.slice(PAGES.length).split('/') : [];
  return file === 'page.tsx' ? name : undefined;
}

const bare = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The script and what it imports in turn, without what it may import later. */
function withImports(
  outputs: Readonly<Record<string, Output>>,
  path: string,
  found = new Set<string>(),
): ReadonlySet<string> {
  if (found.has(path) || outputs[path] === undefined) return found;
  found.add(path);
  for (const next of outputs[path].imports)
    if (next.kind === 'import-statement') withImports(outputs, next.path, found);
  return found;
}

const COMPRESSED = /\.(?:js|css|svg)$/;
const MIN_BYTES = 512;
// Higher levels of Brotli take ten times the time for a twentieth less.
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

async function addCompressed(
  plain: ReadonlyMap<string, Uint8Array>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const compressed = [...plain]
    .filter(([name, bytes]) => COMPRESSED.test(name) && bytes.length >= MIN_BYTES)
    .flatMap(([name, bytes]) => [
      promisify(gzip)(bytes, { level: 9 }).then(made => [`${name}.gz`, made] as const),
      promisify(brotliCompress)(bytes, QUALITY).then(made => [`${name}.br`, made] as const),
    ]);
  return new Map<string, Uint8Array>([...plain, ...(await Promise.all(compressed))]);
}
