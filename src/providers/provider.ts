// Defines the interface of a provider: protocols that decide which requests to send and read the responses, without
// I/O.
import type { Backoff } from '../lib/backoff.ts';
import type { ProviderName } from './names.ts';
import type { ProviderError } from './provider-error.ts';
import type { ProviderResponse } from './response.ts';

/** The address of a provider and the key that requests to it use. */
export interface Endpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  /** For ComfyUI: the key of a comfy.org account, for partner nodes. */
  readonly partnerKey?: string;
}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** The maximum size of the response body. Default 8 MB. */
  readonly maxBytes?: number;
  /**
   * `submits`: the request starts work that may be billed, so it is retried only if it cannot have arrived or was
   * rejected with 429. `fetches`: the response status may be the failure of the work itself. Any other request is
   * retried after any failure.
   */
  readonly role?: 'submits' | 'fetches';
  /** For `submits`: whether an error response, even 5xx, says that the work was not done. */
  readonly hasClearErrors?: boolean;
}

/**
 * One operation of a provider as a generator: yields requests, receives their responses, and returns the result. Throws
 * ProviderError.
 */
export type Protocol<T> = Generator<ProviderRequest, T, ProviderResponse>;

/** A file in the input of a call. The provider decides how it is sent. */
export class Attachment {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly name: string;
  constructor(bytes: Buffer, contentType: string, name: string) {
    this.bytes = bytes;
    this.contentType = contentType;
    this.name = name;
  }
}

/** A finished file: a request that downloads it, or its bytes. */
export type FileSource = ProviderRequest | Buffer;

/** The result of finished work. */
export interface Output {
  readonly files: readonly FileSource[];
  readonly text?: string;
  /** Parts of a transcription with their times, as the provider sends them. */
  readonly chunks?: unknown;
  /** The usage that the provider reports, for example tokens. */
  readonly usage?: unknown;
  /** For graphs: the id of the node that made each file, in the order of `files`. */
  readonly fileNodes?: readonly string[];
  /** For graphs: the texts of nodes, by their id. */
  readonly nodeTexts?: Readonly<Record<string, readonly string[]>>;
  /** The seed from which the provider made the output, if it says so. */
  readonly seed?: number | undefined;
  /** Sentences that say how the output differs from the request, for example that the text was cut off. */
  readonly warnings?: readonly string[];
}

/** Identifies a task at the provider: its id, and other data needed to poll it. */
export interface Handle {
  readonly id: string;
  readonly state?: string;
}

export type Submission = { readonly handle: Handle } | { readonly output: Output };
export type Poll = { readonly output: Output } | { readonly isRunning: true; readonly fraction?: number };

/**
 * The outcome of a cancellation. `billed`: the work finished, or the provider bills it in part. `running`: the provider
 * has not confirmed the cancellation.
 */
export type Cancellation =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'billed'; readonly usage?: unknown }
  | { readonly kind: 'running' };

/** The delays between polls and before retries, and the limits for both. */
export interface Pace extends Backoff {
  /** How long one request is retried before its failure is final. */
  readonly retryForMs: number;
  /** How long the work may take after its submission. */
  readonly deadlineMs: number;
}

export interface Provider<Call> {
  readonly name: ProviderName;
  readonly pace: Pace;
  /**
   * Submits the call. `chosenId` is a new UUID, used only by providers with `acceptsChosenIds`. A provider that supports
   * webhooks calls `callbackUrl` when the work has ended.
   */
  submit(call: Call, chosenId: string, callbackUrl?: string): Protocol<Submission>;
  /** Returns the model of the call. Calls to the same model usually take about the same time. */
  getModel?(call: Call): string;
  /** The maximum number of files of an output. Default 16. */
  readonly maxFiles?: number;
  /** Maps a response other than 200 to an error. */
  classify(response: ProviderResponse): ProviderError;
  /** Absent if the submission returns the output directly. */
  readonly tasks?: {
    poll(handle: Handle, call: Call): Protocol<Poll>;
    /** Requests the cancellation and returns the outcome. May be called again until the outcome is known. */
    cancel(handle: Handle): Protocol<Cancellation>;
    /** Set if the provider uses `chosenId` as the id of the task, so that a lost task can be submitted again. */
    readonly acceptsChosenIds?: true;
  };
}

/** The timeout of submissions whose input may contain files. */
export const SUBMIT_TIMEOUT_MS = 120_000;

export const DEFAULT_PACE: Pace = {
  firstMs: 500,
  maxMs: 5_000,
  factor: 1.5,
  jitter: [-0.2, 0],
  retryForMs: 120_000,
  deadlineMs: 1_800_000,
};

export interface PriceTerms {
  readonly nodeType: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** Whether the reserved amount is the exact price, which the charge never exceeds. */
  readonly isExact: boolean;
}

/** The record of a provider call, stored with its run. `id` is null until the provider returns one. */
export interface ProviderTask {
  readonly provider: ProviderName;
  readonly id: string | null;
  readonly state?: string;
  /** The time of the submission, and the deadline of the work. */
  readonly submittedAtMs?: number;
  readonly deadlineAtMs?: number;
  /** How often the result was requested while the work was still running. */
  readonly asks?: number;
  /** Identifies the call in the webhook URL that the provider calls. */
  readonly token?: string;
  /** The credits reserved for the call. */
  readonly credits?: number;
  /** What the price of the call depends on. */
  readonly terms?: PriceTerms;
  /** Set if the call has not been submitted and waits for a slot since `submittedAtMs`. */
  readonly queued?: true;
  /** Set if the call occupies one of the provider's slots. */
  readonly slot?: true;
  /** The stored credential of the call, and the value that submitted it. Absent for a credential of the environment. */
  readonly credentialId?: string;
  readonly valueId?: string;
  /** The provider's name for the model, and the model's usual duration. */
  readonly model?: string;
  readonly usualMs?: number;
  /** For ComfyUI: the pool of the call, and how often the call had gone back to the queue. */
  readonly pool?: string;
  /** Set while the call is being submitted, when the provider may not know it yet. */
  readonly isSubmitting?: true;
  readonly moves?: number;
}

/** Returns the limiter of the task: the id of its stored credential, or the provider's name for the environment's. */
export const getLimiterName = ({
  provider,
  credentialId,
}: Pick<ProviderTask, 'provider' | 'credentialId'>): string => credentialId ?? provider;

/** `open`: the provider has no limit. `slot`: the call occupies a slot. `wait`: no slot is free. */
export type SlotOutcome = 'open' | 'slot' | 'wait';

/** Thrown when the work continues at the provider. The run is then suspended until the work ends. */
export class TaskInProgressError extends Error {
  readonly task: ProviderTask;
  constructor(task: ProviderTask) {
    super(`The work continues at ${task.provider}.`);
    this.name = 'TaskInProgressError';
    this.task = task;
  }
}

const MAX_DEPTH = 8;

/** Returns a copy of the value in which each attachment, at any depth, is replaced by the text that `send` returns. */
export function* replaceAttachments(
  value: unknown,
  send: (file: Attachment) => Protocol<string>,
  depth = 0,
): Protocol<unknown> {
  if (value instanceof Attachment) return yield* send(value);
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  const items: unknown[] = [];
  for (const item of Object.values(value)) items.push(yield* replaceAttachments(item, send, depth + 1));
  if (Array.isArray(value)) return items;
  return Object.fromEntries(Object.keys(value).map((name, index) => [name, items[index]]));
}

export function toDataUri({ bytes, contentType }: Attachment): string {
  return `data:${contentType};base64,${bytes.toString('base64')}`;
}
