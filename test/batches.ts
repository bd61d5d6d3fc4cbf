// Groups test files into batches that share a process. A process per file would load most of the program each time,
// which costs a second of processor time. The files of a batch run in sequence.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { splitTests } from './slow.ts';

/** Batches of the slow tests. Files that would finish last if they ran separately are in a batch too. */
const SLOW_BATCHES = {
  'absent-workers': ['jobs/{daily,faults,frozen,roles,silence,worker-stop}.test.ts'],
  // Each of these two shares a browser.
  board: ['editor/flow/**'],
  pages: ['editor/**', 'http/pages/**', 'mcp/oauth/consent-page.test.ts', 'sdk/browser.test.ts'],
  agents: ['mcp/**', 'sdk/**', 'telemetry/**'],
  clusters: ['store/{embedded,embedded-accounts,embedded-faults}.test.ts'],
  commands: [
    'cli/{accounts,client,doctor,first-errors,layout,models,program,rotate-secrets}.test.ts',
    'deploy/{alerts,files}.test.ts',
    'docs.test.ts',
    'lib/{compile-cache,secrets-key}.test.ts',
    'store/listen.test.ts',
  ],
  drawing: [
    'render/sound/**',
    'render/timeline/**',
    'render/{drawing,paragraph,read-files,read-templates,schema}.test.ts',
    'nodes/{catalog,sandbox}.test.ts',
    'nodes/models/**',
    'codecs/{i420-*,kernels,pixels}.test.ts',
  ],
  'event-loop': ['http/event-loop/**'],
  http: ['http/{accounts,components,media,openapi,operator,protocol,sessions,workflows}/**', 'services/**'],
  pictures: [
    'http/renders/**',
    'media/**',
    'nodes/**',
    'codecs/{child,probe}.test.ts',
    'render/{golden,lottie,paint-frame,stills}.test.ts',
  ],
  runs: ['runs/**', 'http/runs/**'],
  soak: ['soak/**'],
  takeovers: ['jobs/{credentials,kill,outage,provider-takeover,run-memory,secrets,takeover}.test.ts'],
  upgrade: ['upgrade/**'],
  video: ['render/video.test.ts'],
  videos: ['render/{clip-frames,templates,video-frames}.test.ts'],
} as const satisfies Record<string, readonly string[]>;

/** Tests that inspect their own process: its memory, its modules or its output. */
const ALONE: readonly string[] = [
  'http/renders/renderer-node.test.ts',
  'mcp/at-rest.test.ts',
  'mcp/oauth/outage.test.ts',
  'sdk/package.test.ts',
  'services/media/sweep-outputs.test.ts',
];

type SlowBatch = keyof typeof SLOW_BATCHES;
export type Batch = SlowBatch | 'fast-first' | 'fast-second';

/** Batches of two minutes or more, much of it waiting: all start first. */
const LONG: readonly Batch[] = ['absent-workers', 'agents', 'board', 'http', 'runs'];

const SLOW_NAMES = Object.keys(SLOW_BATCHES) as SlowBatch[];
export const BATCHES: readonly Batch[] = [...SLOW_NAMES, 'fast-first', 'fast-second'];

const RUN_BATCH = join(import.meta.dirname, 'support/run-batch.ts');

/** Writes the file that runs the batch. The runner sorts files: long batches, other batches, single files. */
export function writeBatchFile(batch: Batch): string {
  const folder = join(import.meta.dirname, '../test-output/batches', LONG.includes(batch) ? 'long' : 'other');
  const path = join(folder, `${batch}.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { runBatch } from ${JSON.stringify(RUN_BATCH)};\nrunBatch('${batch}');\n`);
  return path;
}

const matches = (file: string, patterns: readonly string[]): boolean =>
  patterns.some(pattern => matchesGlob(file, pattern));

/** The first batch that lists the file; undefined for a file in its own process. */
function batchOf(file: string): SlowBatch | undefined {
  return matches(file, ALONE) ? undefined : SLOW_NAMES.find(name => matches(file, SLOW_BATCHES[name]));
}

/** The batch's test files, relative to `test/`. */
export function filesOf(batch: Batch): readonly string[] {
  const { fast, slow } = splitTests();
  if (batch === 'fast-first') return fast.filter((_, index) => index % 2 === 0);
  if (batch === 'fast-second') return fast.filter((_, index) => index % 2 === 1);
  return slow.filter(file => batchOf(file) === batch);
}

/** Slow test files that run in their own process. */
export const filesAlone = (): readonly string[] =>
  splitTests().slow.filter(file => batchOf(file) === undefined);
