// Compares JSON of requests and responses with the types that a provider publishes, by compiling the JSON as a literal.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS } from '../peers.ts';

export interface Sample {
  /** The name used in error messages. */
  readonly name: string;
  /** The published type as a TypeScript expression. */
  readonly type: string;
  readonly value: unknown;
}

/** Stands for a file in a sample, which becomes a value of the class File. */
export const FILE = Symbol('file');

const ROOT = join(import.meta.dirname, '../../..');
const OPTIONS = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--typeRoots',
  join(ROOT, 'node_modules/@types'),
  '--types',
  'node',
];
const ERROR = /\((\d+),\d+\): error (TS\d+: .*)/g;

/** Returns a message for each sample that its type rejects. Unknown properties are errors, as missing properties are. */
export async function findTypeErrors(
  imports: string,
  samples: readonly Sample[],
): Promise<readonly string[]> {
  // The folder of the samples determines which packages are used: the pinned versions, or newer versions under review.
  const folder = join(process.env.PUBLISHED_TYPES ?? PEERS, 'node_modules/.cache', `types-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const head = `${imports} declare const file: File; export {};`;
  const rows = samples.map(({ type, value }) => `void (${toLiteral(value)} satisfies ${type});`);
  // One sample per line, so that the line number of an error identifies the sample.
  writeFileSync(join(folder, 'samples.ts'), [head, ...rows].join('\n'));
  try {
    const output = await runCompiler(join(folder, 'samples.ts'));
    return [...output.matchAll(ERROR)].map(([, line, message]) => {
      const sample = samples[Number(line) - 2];
      return `${sample?.name ?? 'the imports'}: ${message}`;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toLiteral(value: unknown): string {
  if (value === FILE) return 'file';
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${toLiteral(member)}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** Returns the compiler's output. Rejects if the compiler could not be run. */
function runCompiler(path: string): Promise<string> {
  const command = join(ROOT, 'node_modules/.bin/tsc');
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, timeout: 120_000, maxBuffer: 33_554_432 };
    execFile(command, [...OPTIONS, '--ignoreConfig', path], options, (err, stdout, stderr) => {
      if (err !== null && !stdout.includes('error TS')) reject(new Error(`${err.message}\n${stderr}`));
      else if (/error TS\d+: /.test(stdout) && !/\(\d+,\d+\): error/.test(stdout)) reject(new Error(stdout));
      else resolve(stdout);
    });
  });
}
