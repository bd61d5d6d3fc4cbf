// Lists the tests that a change to files can break, by imports, by mirrored folders and by a table of data files.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The files and tests of a tree, with the imports between its files. Paths are relative to its root. */
export interface TestGraph {
  readonly tests: readonly string[];
  /** Maps each file to the files that import it. */
  readonly importers: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Composition roots import everything, so imports of these files are not followed further. */
const COMPOSITION_ROOTS: ReadonlySet<string> = new Set([
  'src/service.ts',
  'src/app.ts',
  'src/main.ts',
  'src/cli/command-line.ts',
  'src/http/deps.ts',
  'src/http/server.ts',
  'test/support/app.ts',
  'test/support/service.ts',
]);

/**
 * Maps the tests of a resource to the words in paths of src that belong to it, in singular. The code of a resource is in
 * several folders, such as store/credits.ts, services/credits and http/routes/credits.ts.
 */
const RESOURCES: Readonly<Record<string, string>> = {
  'test/apps/**': 'app visitor',
  'test/automation/**': 'automation batch batches schedule table trigger',
  'test/http/accounts/**': 'access account actor admin folder invitation key member permission team user',
  'test/http/admin/**': 'admin backup instance overview workload',
  'test/http/components/**': 'component',
  'test/http/content/**': 'content page start',
  'test/http/credentials/**': 'credential',
  'test/http/credits/**': 'charge credit pay spending',
  'test/**/*{charges,cost,credit,paid}*.test.ts': 'charge credit pay spending',
  'test/**/credentials*.test.ts': 'credential',
  'test/http/media/**': 'cdn media upload',
  'test/http/notices/**': 'notice',
  'test/http/protocol/{limits,plans}*.test.ts': 'limit',
  'test/http/renders/**': 'preview render renderer',
  'test/http/runs/**': 'callback deliveries delivery estimate execution idempotency run step webhook',
  'test/http/sessions/**': 'auth identities identity link openid password session sign',
  'test/http/workflows/**': 'template workflow',
  'test/mcp/**': 'mcp',
  'test/mcp/oauth/**': 'connection oauth',
  'test/runs/**': 'call execution run',
  'test/services/webhooks/**': 'delivery deliveries webhook',
};

/** Maps a pattern of files to the tests that cover them, if neither imports nor a folder with the same name show it. */
const COVERED_BY: readonly (readonly [files: string, ...tests: string[]])[] = [
  ['package.json', 'test/**'],
  ['package-lock.json', 'test/**'],
  ['{src,editor,sdk/src,test,bench,scripts}/**', 'test/{architecture,exports,fast}.test.ts'],
  ['editor/{canvas,board,session,pages/editor}/**', 'test/editor/flow/**'],
  ['editor/{pages,frame}/**', 'test/editor/*'],
  ['editor/{kit,lib,styles}/**', 'test/editor/**'],
  ['editor/*', 'test/editor/**'],
  ['src/bundle/**', 'test/editor/serving.slow.test.ts'],
  ['src/http/**', 'test/http/protocol/**'],
  ['src/{graph,http,nodes}/*', 'test/http/event-loop/**'],
  ['src/http/routes/**', 'test/http/openapi/**', 'test/sdk/**'],
  ['src/pages/**', 'test/http/{content,pages}/**'],
  ['src/{lib/settings,cli/options}.ts', 'test/docs.slow.test.ts'],
  ['sdk/**', 'test/sdk/**'],
  ['migrations/**', 'test/{store,upgrade}/**'],
  ['models/**', 'test/nodes/**', 'test/cli/models.slow.test.ts'],
  ['templates/**', 'test/{templates,runs/templates}/**', 'test/render/*', 'test/http/workflows/templates.*'],
  ['examples/**', 'test/runs/examples.slow.test.ts', 'test/docs.slow.test.ts'],
  ['{docs/**,*.md}', 'test/docs.slow.test.ts', 'test/http/pages/**'],
  ['{deploy/**,Dockerfile,compose.yaml}', 'test/{deploy,telemetry}/**'],
];

/**
 * Returns the tests that changes to these files touch, sorted. Paths are relative to the repository root, with forward
 * slashes. A test is touched if
 * - it is one of the files, or imports one, also through other files,
 * - it is in the folder that mirrors the folder of a file, or in the folder of its resource, or
 * - COVERED_BY says so.
 */
export function listTouchedTests(
  changedFiles: readonly string[],
  graph: TestGraph = readTestGraph(),
): readonly string[] {
  const touched = new Set<string>();
  for (const file of changedFiles) {
    for (const test of measureDistances(graph, file).keys()) touched.add(test);
    for (const test of listCoveringTests(graph, file)) touched.add(test);
  }
  return [...touched].sort();
}

/** Reads the files of a tree and the imports between them. */
export function readTestGraph(root = ROOT): TestGraph {
  const files = globSync('{src,sdk,editor,test,bench,scripts,bin}/**/*.{ts,tsx,js}', {
    cwd: root,
    exclude: path => path.endsWith('node_modules') || path.endsWith('dist'),
  }).map(path => path.replaceAll('\\', '/'));
  const known = new Set(files);
  const importers = new Map<string, Set<string>>();
  for (const file of files)
    for (const imported of listImports(root, file, known)) {
      const ofImported = importers.get(imported) ?? new Set();
      importers.set(imported, ofImported.add(file));
    }
  return { tests: files.filter(file => /^test\/.*\.test\.tsx?$/.test(file)).sort(), importers };
}

/** Maps the tests that import a file to the number of imports between them, which is 0 for the file itself. */
export function measureDistances({ tests, importers }: TestGraph, file: string): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  // The map grows during the loop, so this is a breadth-first search.
  for (const [path, distance] of distances) {
    if (COMPOSITION_ROOTS.has(path) && distance > 0) continue;
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  return new Map([...distances].filter(([path]) => tests.includes(path)));
}

/** Returns the tests in the folders that belong to a file, and those that COVERED_BY lists for it. */
export function listCoveringTests({ tests }: TestGraph, file: string): readonly string[] {
  const patterns = [
    ...COVERED_BY.flatMap(([files, ...covering]) => (posix.matchesGlob(file, files) ? covering : [])),
    ...(file.startsWith('src/') ? listResourceTests(file) : []),
    ...listMirrors(tests, file),
  ];
  return tests.filter(test => patterns.some(pattern => posix.matchesGlob(test, pattern)));
}

function listResourceTests(file: string): readonly string[] {
  const words = file.split(/[/.-]/).flatMap(word => [word, word.replace(/s$/, '')]);
  return Object.entries(RESOURCES)
    .filter(([, resourceWords]) => resourceWords.split(' ').some(word => words.includes(word)))
    .map(([pattern]) => pattern);
}

/**
 * Returns the pattern of the tests whose folder has the same path below `test/` as the folder of the file below `src/`,
 * `editor/` or itself. If this folder has no tests, it is the tests directly in the closest folder above.
 */
function listMirrors(tests: readonly string[], file: string): readonly string[] {
  const isCode = /\.(?:tsx?|js)$/.test(file);
  // Files below `test/` are found by their imports, except data.
  if (!file.includes('/') || (file.startsWith('test/') && isCode)) return [];
  const mirror = posix.join('test', posix.dirname(file).replace(/^(?:src|test)(?=\/|$)/, '.'));
  for (let folder = mirror; folder !== 'test'; folder = posix.dirname(folder))
    if (tests.some(test => test.startsWith(`${folder}/`)))
      return [folder === mirror ? `${folder}/**` : `${folder}/*`];
  return [];
}

const TYPE_IMPORT = /^(?:import|export)\s+type\s[^'"]*?from\s*(['"])[^'"\n]+\1/gm;
/** Matches static and dynamic imports, and the URLs of threads and processes. */
const RELATIVE_PATH = /(['"`])(?<path>\.\.?\/[\w./@-]+)(?:\$\{extname\([\w.]+\)\})?\1/g;
const LINE_COMMENT = /^\s*(?:\/\/|\*|\/\*).*$/gm;

/** Returns the files of the tree that a file imports or starts, without imports that only have types. */
function listImports(root: string, file: string, files: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(LINE_COMMENT, '').replace(TYPE_IMPORT, '');
  return [...text.matchAll(RELATIVE_PATH)].flatMap(({ groups }) => {
    const path = posix.join(posix.dirname(file), groups?.path ?? '');
    const found = [path, `${path}.ts`].find(candidate => files.has(candidate));
    if (found !== undefined) return [found];
    return /\.(?:css|json|svg|wasm)$/.test(path) && existsSync(join(root, path)) ? [path] : [];
  });
}
