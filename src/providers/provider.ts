// What every provider is: protocols that say which requests to send and read the answers, and no I/O of their own.
import type { Backoff } from '../lib/backoff.ts';
import type { ProviderAnswer } from './answer.ts';
import type { ProviderName } from './names.ts';
import type { ProviderError } from './provider-error.ts';

/** Where a provider is and how it knows us. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Of ComfyUI: the key of an account at comfy.org, for nodes that call models elsewhere. */
  readonly partnerKey?: string;
}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** Of the answer's body; default 8 MB. */
  readonly maxBytes?: number;
  /**
   * `submits`: it starts work that may be billed, so it is sent again only where it cannot have arrived, or was turned
   * away by 429. `fetches`: its status is the work's own result. All others are asked again whatever happens to them.
   */
  readonly role?: 'submits' | 'fetches';
}

/**
 * One step of a provider's protocol, free of I/O: yields requests, is handed their answers, returns what they mean.
 * Throws ProviderError.
 */
export type Protocol<T> = Generator<ProviderRequest, T, ProviderAnswer>;

/** A file to be sent, anywhere in the input of a call; the provider says how it travels. */
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

/** A finished file: still to be fetched, or its bytes. */
export type FileSource = ProviderRequest | Buffer;

/** What finished work gave. */
export interface Output {
  readonly files: readonly FileSource[];
  readonly text?: string;
  /** What the provider says that it used, e.g. tokens. */
  readonly usage?: unknown;
  /** What is not as it was asked for, e.g. a text that was cut off: a sentence each. */
  readonly warnings?: readonly string[];
}

/** Work that goes on at the provider: its id, and what else is needed to ask for it. */
export interface Handle {
  readonly id: string;
  readonly state?: string;
}

export type Submission = { readonly handle: Handle } | { readonly output: Output };
export type Poll = { readonly output: Output } | { readonly isRunning: true; readonly fraction?: number };

/**
 * What a cancelled call came to. `billed`: it had ended with a result, ends with one all the same, or the provider bills what
 * it did until then. `running`: the provider was asked to stop, and has not said yet.
 */
export type Cancellation =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'billed'; readonly usage?: unknown }
  | { readonly kind: 'running' };

/** How often and for how long a provider is asked: the delays between polls and before retries, and their ends. */
export interface Pace extends Backoff {
  /** How long one request is repeated before its failure stands. */
  readonly retryForMs: number;
  /** How long work may go on after its submission. */
  readonly deadlineMs: number;
}

export interface Provider<Call> {
  readonly name: ProviderName;
  readonly pace: Pace;
  /**
   * `ourId` is a fresh UUID; only providers with `takesOurIds` use it. `hookUrl`: an address for the provider to call at once the work
   * has ended, for providers that do so.
   */
  submit(call: Call, ourId: string, hookUrl?: string): Protocol<Submission>;
  /** The model that the call names: calls of one model take about as long. */
  modelOf?(call: Call): string;
  /** What an answer that is not 200 means. */
  classify(answer: ProviderAnswer): ProviderError;
  /** Absent where the submission answers with the output. */
  readonly jobs?: {
    poll(handle: Handle, call: Call): Protocol<Poll>;
    /** Asks for the end of the work, and what the provider makes of it. May be asked again until that is known. */
    cancel(handle: Handle): Protocol<Cancellation>;
    /** Work is known by our id from its submission on, and what the provider has lost may be submitted again. */
    readonly takesOurIds?: true;
  };
}

/** For submissions whose input may hold files. */
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
  /** What is reserved is its price, which is not passed. */
  readonly isExact: boolean;
}

/** The record of a call at a provider, kept with its run. `id` is null where it was submitted and no id came back. */
export interface ProviderTask {
  readonly provider: ProviderName;
  readonly id: string | null;
  readonly state?: string;
  /** Once it was submitted: when, and until when it may go on. */
  readonly submittedAtMs?: number;
  readonly deadlineAtMs?: number;
  /** How often its result was asked for without a result. */
  readonly asks?: number;
  /** Names it in the address to which the provider reports its end. */
  readonly token?: string;
  /** What is reserved for it. */
  readonly credits?: number;
  /** By what its bill is counted: the settings that its price depends on. */
  readonly terms?: PriceTerms;
  /** It is not submitted yet: it waits for room at the provider, and `submittedAtMs` says since when. */
  readonly queued?: true;
  /** It counts for the number of calls that the provider takes at once. */
  readonly slot?: true;
  /** The provider's name for the model, and how long that usually takes. */
  readonly model?: string;
  readonly usualMs?: number;
}

/** Room for one more call at a provider: `open` where nobody counts, `slot` where this one is counted from now on. */
export type Room = 'open' | 'slot' | 'wait';

/** Thrown where the work goes on at the provider, and whoever asked for it need not be there until it has ended. */
export class CallUnderWay extends Error {
  readonly job: ProviderTask;
  constructor(job: ProviderTask) {
    super(`The work goes on at ${job.provider}.`);
    this.name = 'CallUnderWay';
    this.job = job;
  }
}
