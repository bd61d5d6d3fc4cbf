// Provides the examples of the document: recorded by a test, or handwritten if a test cannot provoke them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '../../lib/errors.ts';

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}
interface RecordedExamples {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requests: Readonly<Record<string, unknown>>;
  readonly errors: Readonly<Record<string, unknown>>;
}

/** Errors that need an outage, a race, a defect, a long wait or many requests. */
const HANDWRITTEN_ERRORS: Partial<Readonly<Record<ErrorCode, string>>> = {
  comfyui_missing:
    'No ComfyUI server of the pool can run the graph: GPU 1 lacks the file flux1-dev.safetensors.',
  svg_not_drawable: 'The SVG at node "logo" cannot be drawn. Give the model a PNG or JPEG instead.',
  credentials_off:
    'This service uses only the provider keys of its settings (CREDENTIALS=off). Ask the operator to change them.',
  daily_limit_exceeded:
    'This needs 0.5 USD, but calls with the credential “Studio key” have cost or reserved 19.8 of 20 USD today (UTC). Raise its daily limit or try again tomorrow.',
  sign_in_refused: 'The identity provider has not verified your email.',
  component_too_deep: 'Components are nested more than 8 levels deep. Unpack one of them.',
  component_too_large:
    'With its components, the workflow has more than 2000 nodes. Remove calls, or split the workflow.',
  request_timeout: 'The request did not arrive in time.',
  idempotency_in_progress:
    'The first request with this Idempotency-Key is still being processed. Try again in a second.',
  daily_execution_limit: 'More than 50 executions today (UTC). Try again tomorrow.',
  render_busy:
    '4 of your clips are waiting or being rendered. Cancel one, or wait until one has finished. Try again in 5 s.',
  upload_busy: 'Another upload is being created. Try again in a second.',
  codec_failed: 'The render process exited unexpectedly.',
  internal_error: 'Something went wrong on our side. Give the request id to the operator of the service.',
  unavailable: 'The database does not respond. Try again in a moment.',
};
const REQUEST_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

const FILE = join(import.meta.dirname, 'examples.json');
let recorded: RecordedExamples | undefined;

/** Reads the file when the document is first built, not when the service starts. */
function readRecorded(): RecordedExamples {
  recorded ??= JSON.parse(readFileSync(FILE, 'utf8')) as RecordedExamples;
  return recorded;
}

/** Returns the recorded example of an operation's response with this status, otherwise the handwritten one. */
export function getExample(operationId: string, status: string, handwritten: unknown): Example | undefined {
  const value = readRecorded().responses[`${operationId} ${status}`];
  if (value !== undefined) return { summary: 'A recorded response', value };
  return handwritten === undefined ? undefined : { summary: 'An example', value: handwritten };
}

/** Returns a recorded request body that the operation accepted. */
export function getRequestExample(operationId: string): Example | undefined {
  const value = readRecorded().requests[operationId];
  return value === undefined ? undefined : { summary: 'A recorded request', value };
}

/** Returns the example errors of the given codes, for `components.examples`. */
export function listErrorExamples(codes: ReadonlySet<string>): Readonly<Record<string, Example>> {
  const handwritten = Object.entries(HANDWRITTEN_ERRORS).map(
    ([code, error]) => [code, { error, code, requestId: REQUEST_ID }] as const,
  );
  return Object.fromEntries(
    [...Object.entries(readRecorded().errors), ...handwritten]
      .filter(([code]) => codes.has(code))
      .map(([code, value]) => [code, { value }]),
  );
}

/** Returns whether the code has an example. */
export const hasExample = (code: ErrorCode): boolean =>
  code in readRecorded().errors || code in HANDWRITTEN_ERRORS;
