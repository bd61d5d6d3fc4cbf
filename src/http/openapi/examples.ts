// Examples of the document: answers that a test recorded from this service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}
interface Recorded {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly requests: Readonly<Record<string, unknown>>;
  readonly refusals: Readonly<Record<string, unknown>>;
}

const FILE = join(import.meta.dirname, 'examples.json');
let recorded: Recorded | undefined;

/** Read when the document is first built, not when the service starts. */
function readRecorded(): Recorded {
  recorded ??= JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;
  return recorded;
}

/** The recorded answer of an operation with this status. */
export function exampleOf(operationId: string, status: string): Example | undefined {
  const value = readRecorded().answers[`${operationId} ${status}`];
  return value === undefined ? undefined : { summary: 'A recorded answer', value };
}

/** A recorded body that the operation accepted. */
export function requestExampleOf(operationId: string): Example | undefined {
  const value = readRecorded().requests[operationId];
  return value === undefined ? undefined : { summary: 'A recorded request', value };
}

/** A recorded refusal for each of the codes, under `components.examples`. */
export function errorExamples(codes: ReadonlySet<string>): Readonly<Record<string, Example>> {
  return Object.fromEntries(
    Object.entries(readRecorded().refusals)
      .filter(([code]) => codes.has(code))
      .map(([code, value]) => [code, { value }]),
  );
}

/** Whether the code's refusal has been recorded. */
export const isRecorded = (code: string): boolean => code in readRecorded().refusals;
