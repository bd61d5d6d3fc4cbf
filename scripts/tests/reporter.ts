// Writes the results of test files as data, one JSON object a line. The test runner (scripts/test.ts) uses it as a reporter of
// `node --test`, beside the output for people.
import type { TestEvent } from 'node:test/reporters';

/** The result of a test file, or of a process whose failure belongs to none of its tests. */
export interface FileResult {
  /** The file relative to the root, or the absolute path of the process's batch. */
  readonly name: string;
  readonly seconds: number;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly test: string;
  /** The first line of the error. */
  readonly error: string;
}

/** The line of a run that was interrupted by Ctrl-C. */
export const INTERRUPTED = '"interrupted"';

/** Reads the events of a run. A batch wraps each file into a suite, so the outermost results are those of files. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let failures: Failure[] = [];
  for await (const { type, data } of source) {
    // The types of Node do not have this event yet.
    if ((type as string) === 'test:interrupted') yield `${INTERRUPTED}\n`;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, details } = data;
    if (type === 'test:fail') {
      const { error } = data.details;
      const isSum = 'failureType' in error && error.failureType === 'subtestsFailed';
      if (!isSum) failures.push({ test: name, error: toFirstLine(error) + describeExit(error) });
    }
    if (nesting > 0) continue;
    const result: FileResult = { name, seconds: details.duration_ms / 1000, failures };
    yield `${JSON.stringify(result)}\n`;
    failures = [];
  }
}

/** Says how the process of a batch ended. Node adds these members to the error of a file. */
function describeExit({
  exitCode,
  signal,
}: Error & { exitCode?: number | null; signal?: string | null }): string {
  if (exitCode === undefined) return '';
  return ` (${typeof signal === 'string' ? signal : `exit code ${exitCode}`})`;
}

/** Node wraps the error of a test. */
function toFirstLine(error: Error): string {
  const { message } = error.cause instanceof Error ? error.cause : error;
  return message.split('\n', 1)[0] ?? '';
}
