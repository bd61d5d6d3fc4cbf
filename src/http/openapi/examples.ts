// Examples of the document: answers that a test recorded from this service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

const RECORDED = join(import.meta.dirname, 'examples.json');
const { answers, refusals } = JSON.parse(readFileSync(RECORDED, 'utf8')) as {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly refusals: Readonly<Record<string, unknown>>;
};

/** The recorded answer of an operation with this status. */
export function exampleOf(operationId: string, status: string): Example | undefined {
  const value = answers[`${operationId} ${status}`];
  return value === undefined ? undefined : { summary: 'A recorded answer', value };
}

/** A recorded refusal for each code, under `components.examples`. */
export function errorExamples(): Readonly<Record<string, Example>> {
  return Object.fromEntries(Object.entries(refusals).map(([code, value]) => [code, { value }]));
}

/** Whether the code's refusal has been recorded. */
export const isRecorded = (code: string): boolean => code in refusals;
