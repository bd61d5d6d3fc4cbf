// Defines what a provider implements: protocols that decide which requests to send and read the answers, without any
// I/O.
import type { Backoff } from '../lib/backoff.ts';
import type { ProviderAnswer } from './answer.ts';
import type { ProviderName } from './names.ts';
import type { ProviderError } from './provider-error.ts';

/** The address of a provider, and our credentials there. */
export interface Endpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  /** For ComfyUI: the key of a comfy.org account, for nodes that call models elsewhere. */
  readonly partnerKey?: string;
}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** Limit for the answer's body; default 8 MB. */
  readonly maxBytes?: number;
  /**
   * `submits`: starts work that may be billed, so it is sent again only if it cannot have arrived or was rejected with
   * 429. `fetches`: the answer's status is the result of the work itself. Any other request is repeated after every
   * kind of failure.
   */
  readonly role?: 'submits' | 'fetches';
}

/**
 * One operation of a provider, free of I/O: yields requests, receives their answers, and returns what they mean. Throws
 * ProviderError.
 */
export type Protocol<T> = Generator<ProviderRequest, T, ProviderAnswer>;

/** A file anywhere in the input of a call. The provider decides how it is sent. */
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
  /** What the provider reports as used, for example tokens. */
  readonly usage?: unknown;
  /** Sentences about differences from the request, for example a text that was cut off. */
  readonly warnings?: readonly string[];
}

/** Identifies work in progress at the provider: its id, and anything else needed to poll it. */
export interface Handle {
  readonly id: string;
  readonly state?: string;
}

export type Submission = { readonly handle: Handle } | { readonly output: Output };
export type Poll = { readonly output: Output } | { readonly isRunning: true; readonly fraction?: number };

/**
 * The outcome of a cancellation. `billed`: the work finished anyway, or the provider bills what it did so far.
 * `running`: the provider was asked to stop and has not confirmed it.
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
   * `ourId` is a new UUID, used only by providers with `takesOurIds`. `hookUrl` is an address that the provider calls
   * when the work has ended, for providers that support it.
   */
  submit(call: Call, ourId: string, hookUrl?: string): Protocol<Submission>;
  /** Returns the model of the call. Calls of one model take about the same time. */
  modelOf?(call: Call): string;
  /** Maps an answer other than 200 to an error. */
  classify(answer: ProviderAnswer): ProviderError;
  /** Absent if the submission returns the output directly. */
  readonly tasks?: {
    poll(handle: Handle, call: Call): Protocol<Poll>;
    /** Asks the provider to stop the work and returns the outcome. May be called again until the outcome is known. */
    cancel(handle: Handle): Protocol<Cancellation>;
    /** The provider identifies work by our id from the submission on, so work that it lost can be submitted again. */
    readonly takesOurIds?: true;
  };
}

/** For submissions whose input may contain files. */
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
  /** The reserved amount is the exact price and is never exceeded. */
  readonly isExact: boolean;
}

/** The record of a call at a provider, stored with its run. `id` is null if it was submitted and no id was received. */
export interface ProviderTask {
  readonly provider: ProviderName;
  readonly id: string | null;
  readonly state?: string;
  /** Set at submission: when it was submitted, and until when it may take. */
  readonly submittedAtMs?: number;
  readonly deadlineAtMs?: number;
  /** How often its result was requested while the work was still running. */
  readonly asks?: number;
  /** Identifies the call in the webhook URL that the provider calls. */
  readonly token?: string;
  /** The credits reserved for it. */
  readonly credits?: number;
  /** The settings that its price depends on. */
  readonly terms?: PriceTerms;
  /** Not submitted yet: it waits for a slot at the provider since `submittedAtMs`. */
  readonly queued?: true;
  /** It occupies one of the provider's slots. */
  readonly slot?: true;
  /** The provider's name for the model, and how long that model usually takes. */
  readonly model?: string;
  readonly usualMs?: number;
}

/** `open`: calls at this provider are not counted. `slot`: the call has a slot from now on. `wait`: no slot is free. */
export type SlotClaim = 'open' | 'slot' | 'wait';

/** Thrown when the work continues at the provider and the run can be suspended until it ends. */
export class TaskInProgress extends Error {
  readonly task: ProviderTask;
  constructor(task: ProviderTask) {
    super(`The work continues at ${task.provider}.`);
    this.name = 'CallUnderWay';
    this.task = task;
  }
}
