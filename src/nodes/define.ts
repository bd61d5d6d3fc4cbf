// Defines how nodes are declared: ports and fields with their types, and the function that runs the node. The catalog
// entry is derived from the declaration, so an entry without an implementation cannot exist.
import type {
  CatalogEntry,
  ConfigWarning,
  InputDef,
  ModelTask,
  NodeSource,
  OutputDef,
  ResolvedPorts,
} from '../graph/catalog.ts';
import type { Category, FieldType, Json, JsonObject, MediaRef, PortType, Value } from '../graph/types.ts';
import type { Limiter } from '../lib/limiter.ts';
import type { Settings } from '../lib/settings.ts';
import type { LocalFeature } from '../local/packages.ts';
import type { LocalSettings } from '../local/run-local.ts';
import type { ProviderCredential } from '../providers/credential.ts';
import { getProviderLimiter } from '../providers/limits.ts';
import {
  type CredentialKey,
  type ProviderName,
  type ServerRoute,
  toProviderName,
} from '../providers/names.ts';
import type { ProviderTask } from '../providers/provider.ts';
import type { ProviderResponse } from '../providers/response.ts';
import type { ProviderSlots } from '../providers/run-call.ts';
import type { ReadSource, SegmentStore } from '../render/render-io.ts';
import type { ServerAttempt, ServerQueue } from './comfyui/server-queue.ts';
import { describePricing, FREE, type Pricing } from './models/pricing.ts';
import type { Providers } from './models/providers.ts';

/** A port or field: its catalog data, and in `T` the type of its value in `run`. */
export interface Spec<T, K extends FieldType = PortType> extends SpecOptions {
  readonly type: K;
  readonly label: string;
  /** Never set; carries `T` for inference. */
  readonly value?: T;
}

/** Properties of an input that have defaults. */
export type SpecOptions = Partial<Omit<InputDef, 'id' | 'label' | 'type' | 'isPort'>>;

export type Specs = Readonly<Record<string, Spec<unknown, FieldType>>>;
type OutputSpecs = Readonly<Record<string, Spec<unknown>>>;
// Required inputs and inputs with a default are always present: the engine ensures that.
type Present<T, O> = O extends { required: true } | { default: Json } ? T : T | undefined;
export type ValuesOf<S extends Specs> = {
  readonly [K in keyof S]: S[K] extends Spec<infer T, FieldType> ? T : never;
};

const createSpecFactory =
  <T>(type: PortType) =>
  <const O extends SpecOptions>(label: string, options?: O): Spec<Present<T, O>> => ({
    type,
    label,
    ...options,
  });
export const text = createSpecFactory<string>('TEXT');
export const number = createSpecFactory<number>('NUMBER');
export const json = createSpecFactory<Json>('JSON');
export const image = createSpecFactory<MediaRef>('IMAGE');
export const video = createSpecFactory<MediaRef>('VIDEO');
export const audio = createSpecFactory<MediaRef>('AUDIO');
/** A port for a list as one value. The node is not mapped over it. */
export const list = createSpecFactory<readonly Value[]>('LIST');
/** A port for any value, tagged and unchanged. */
export const any = createSpecFactory<Value>('ANY');
/** Creates a port for each name. */
export const createPorts = (names: readonly string[], createSpec: (name: string) => Spec<unknown> = any) =>
  Object.fromEntries(names.map(name => [name, createSpec(name)]));

/** Defines a config field with a fixed set of values. The first value is the default. */
export const choice = <const E extends readonly [string, ...string[]]>(
  label: string,
  values: E,
  options?: SpecOptions,
): Spec<E[number]> => ({
  type: 'TEXT',
  label,
  enum: values,
  default: values[0],
  ...options,
});

/** Defines a config field that is true or false, by default false. */
export const flag = (label: string, options?: SpecOptions): Spec<boolean, 'BOOLEAN'> => ({
  type: 'BOOLEAN',
  label,
  default: false,
  ...options,
});

/** The services that a node can use while it runs. */
/** The settings that nodes use. */
export type NodeSettings = Pick<Settings, 'CDN_URL' | 'FFMPEG_PATH' | 'LOCAL_NODES'> & LocalSettings;

export interface NodeContext {
  readonly settings: NodeSettings;
  readonly executionId: string;
  readonly nodeId: string;
  /**
   * Aborted when the run is cancelled, times out, or moves to another worker. Pass it to every async call in `run`. The
   * reason is `cancelled` or `timeout` if the run ends; otherwise another worker continues the run.
   */
  readonly signal: AbortSignal;
  readonly media: NodeMedia;
  /** Opens the finished segments of a video of this node, which survive a change of worker. */
  openSegments(): NodeSegments;
  /** Sends a request through the guarded HTTP client, for URLs from users. */
  fetch(url: string, init?: NodeFetchInit): Promise<NodeFetchResponse>;
  /** Reports the progress, from 0 to 1. */
  progress(fraction: number): void;
  /** Set if the node was suspended and now continues. */
  readonly suspended?: { readonly sinceMs: number; readonly untilMs: number; readonly decision?: Json };
  now(): number;
  /** For nodes that insert secrets into their requests themselves. Absent if the graph refers to no secrets. */
  readonly secrets?: NodeSecrets;
  /** The providers that the run can use, as of its last start. */
  readonly providers: Providers;
  /** The keys for `getProviderLimiter` of providers with stored credentials. */
  readonly slotKeys?: Readonly<Partial<Record<CredentialKey, string>>>;
  /**
   * Returns the credential of a call: the value that submitted the call, or otherwise the newest value of the run's
   * credential. Throws ProviderError if the provider is not configured or the credential was removed.
   */
  openCredential(key: CredentialKey, stored: ProviderTask | undefined): Promise<ProviderCredential>;
  /** Returns the URL that a provider calls when a task ends, or undefined if the provider cannot reach this service. */
  readonly callbackUrl?: (provider: ProviderName, token: string) => string | undefined;
  /** The record of the provider task, which survives a change of worker. */
  readonly task: {
    readonly stored?: ProviderTask;
    /** Stores the record. Rejects if the run no longer belongs to this worker; the call must then stop. */
    save(task: ProviderTask): Promise<void>;
    /** Whether the event that the call waited for has occurred: the work ended, or a slot was granted. */
    readonly isWoken?: boolean;
    /** If absent, the provider always has a free slot. */
    readonly slots?: ProviderSlots;
    /** Reports that the call must be charged even if the run ends now. */
    markBillable?(): void;
    /** Reports the usage that the provider measured, from which the price is computed. */
    use(usage: unknown): void;
    /** Adds a sentence to the warnings in the node's state. */
    warn(sentence: string): void;
    /** Adds text to the log in the node's state. */
    log(text: string): void;
    /** The item of a mapped node, otherwise 0. */
    readonly item?: number;
    /** Adds the seeds that the call draws to the node's state. */
    recordSeeds?(seeds: readonly DrawnSeed[]): void;
    /** Replaces the servers that ran the call in the node's state. */
    recordAttempts?(attempts: readonly ServerAttempt[]): void;
    /** The queue for ComfyUI servers. Absent if the run has none. */
    readonly queue?: ServerQueue;
  };
}

/** A seed that a node drew, so that its result can be repeated. */
export interface DrawnSeed {
  /** The id of the node inside the graph that the node contains, and the input. */
  readonly node: string;
  readonly input: string;
  readonly value: number;
}

/** The secrets of a run's workflow for one of its nodes. */
export interface NodeSecrets extends Omit<RunSecrets, 'valueFor'> {
  /** Returns the secret's value for a request to the URL. Throws NodeError if the node must not send the secret there. */
  valueFor(name: string, url: URL): string;
  /** Secrets are never inserted into values from connected ports, because other people may have written the values. */
  readonly connectedPorts: { has(port: string): boolean };
}

/** The secrets of a run's workflow. */
export interface RunSecrets {
  /**
   * Returns the setting with each `{{secrets.NAME}}` in its strings replaced, by default with the secret's value.
   * Throws NodeError if the workflow has no such secret.
   */
  replace(setting: unknown, valueFor?: (name: string) => string): unknown;
  /** Returns the secret's value for a request of the node. Throws NodeError if it must not send the secret there. */
  valueFor(name: string, url: URL, nodeId: string): string;
  /** Returns whether a request with these secrets may be redirected from one URL to another. */
  mayRedirect(names: readonly string[], from: URL, to: URL): boolean;
  /** Removes all secrets from the text, in any letter case and common encoding. */
  scrub(text: string): string;
  /** Removes the sent values of these secrets from the data. */
  conceal(data: string, names: readonly string[]): string;
}

export interface NodeMedia {
  /** Stores the bytes as an output of this run. Size and duration of `file` are used if they cannot be read. */
  put(source: Uint8Array | AsyncIterable<Uint8Array>, file: OutputFile): Promise<MediaRef>;
  /** Reads a media file of at most `maxBytes` (default 100 MB). */
  read(ref: MediaRef, maxBytes?: number): Promise<Buffer>;
  /** Reads an image. An SVG is rasterized to PNG. */
  readRaster(ref: MediaRef): Promise<{ readonly bytes: Buffer; readonly contentType: string }>;
  /** Returns the media with this id or URL. External URLs are fetched and stored. */
  resolve(
    source: { readonly mediaId?: string | undefined; readonly url?: string | undefined },
    kind: 'image' | 'video' | 'audio',
  ): Promise<MediaRef>;
  /** Opens any file that a scene refers to, without storing it. */
  readonly open: ReadSource;
}

export interface OutputFile {
  readonly contentType: string;
  readonly name: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
  /** The stored still image of a video. */
  readonly posterId?: string;
  /** The seed that the provider used. Default: the seed of the call's values. */
  readonly seed?: number | undefined;
}

/** Finished segments of a video. They survive a change of worker, for at most a day. */
export interface NodeSegments extends SegmentStore {
  /** Removes all segments. */
  drop(): Promise<void>;
}

export interface NodeFetchInit {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Used instead of the run's signal, for requests after the run's signal has fired. */
  readonly signal?: AbortSignal;
  /** Returns whether a redirect to this URL keeps the headers and body. */
  readonly keepsRequestOnRedirect?: (to: URL) => boolean;
}

export type NodeFetchResponse = ProviderResponse;

/**
 * Suspends the run until a time, a user's decision or the end of a provider task. A node returns it; nodes that call
 * providers throw it.
 */
export class Suspend {
  readonly kind: 'time' | 'decision' | 'call';
  readonly untilMs: number;
  /** For decisions: who is asked, and how. */
  readonly approval: ApprovalRequest | undefined;
  constructor(kind: 'time' | 'decision' | 'call', untilMs: number, approval?: ApprovalRequest) {
    this.kind = kind;
    this.untilMs = untilMs;
    this.approval = approval;
  }
}

/** Whom a node asks for a decision, and how. */
export interface ApprovalRequest {
  readonly message: string;
  /** Emails and user ids. If empty, the user who started the run is asked. */
  readonly assignees: readonly (string | number)[];
  /** How often assignees are reminded; 0: never. */
  readonly reminderHours: number;
  /** Whether the value that waits may be replaced. */
  readonly isEditable: boolean;
  /** The decision that applies when the time is over. If null, the run then ends with the status TIMEOUT. */
  readonly timeoutDecision: 'approve' | 'reject' | null;
}

/** A failure caused by the graph or its inputs. The message is shown to users. `code` is snake_case. */
export class NodeError extends Error {
  readonly code: string;
  /** The JSON pointer of what failed in the graph that the node contains. */
  readonly pointer: string | undefined;
  constructor(
    code: string,
    message: string,
    options?: ErrorOptions & { readonly pointer?: string | undefined },
  ) {
    super(message, options);
    this.name = 'NodeError';
    this.code = code;
    this.pointer = options?.pointer;
  }
}

// TEXT outputs are strings, NUMBER outputs numbers, JSON outputs any JSON, media outputs MediaRefs, ANY and LIST
// outputs tagged values. A tagged value is used unchanged at any port. undefined means that the port has no value.
export type NodeOutput = string | number | Json | MediaRef | Value | readonly Value[] | undefined;
export type NodeResult = Readonly<Record<string, NodeOutput>> | Suspend;

/** A requirement of a node. catalog.ts maps it to settings. */
export type Requirement =
  | 'sandbox'
  | 'code'
  | 'codec'
  | 'sandbox-video'
  | 'speech-command'
  | LocalRequirement
  | CredentialKey;
export type LocalRequirement = `local-${LocalFeature}`;

/**
 * How a forecast computes the node's result before the run: `by-value` from known inputs, `by-shape` also from inputs
 * whose values are unknown, because the node only passes them on. A node with a forecast mode uses only `media.resolve`,
 * `progress`, `providers` and `signal` of its context.
 */
export type ForecastMode = 'by-value' | 'by-shape';

export interface NodeDeclaration<I extends Specs, C extends Specs> {
  /** `family:name`. */
  readonly nodeType: string;
  readonly label: string;
  readonly description?: string;
  readonly category: Category | 'video';
  readonly source?: NodeSource;
  readonly customNodeType?: string;
  /** Ports that edges can connect to. */
  readonly inputs: I;
  /** Fields of `data.config`. */
  readonly config: C;
  readonly outputs: OutputSpecs;
  /** Ports derived from the config, instead of `inputs` and `outputs`. */
  readonly dynamicPorts?: {
    readonly note: string;
    /** Whether saving a workflow writes the ports into the node. */
    readonly isSaved?: true;
    /** Derives the ports. `problem` says why a node with this config cannot run. */
    resolve(config: JsonObject): {
      readonly inputs: Specs;
      readonly outputs: OutputSpecs;
      readonly problem?: string | undefined;
    };
  };
  /**
   * Finds what would go wrong in a run with this config. `texts` are the values of connected ports that are known before
   * the run.
   */
  readonly findWarnings?: ConfigCheck;
  /** Absent if calls are free of charge. */
  readonly pricing?: Pricing;
  /** Set for nodes that run models on this machine: the license and the origin of the model or library, and its task. */
  readonly local?: {
    readonly license: string;
    readonly origin: string;
    readonly task?: ModelTask;
  };
  readonly deprecated?: true;
  readonly hidden?: true;
  /**
   * If the requirement of the default config is not met, the entry is hidden. Existing graphs may still contain the
   * node.
   */
  readonly requires?: Requirement | ((config: Readonly<Record<string, unknown>>) => Requirement);
  /** Absent if the result is known only after the run. */
  readonly forecastMode?: ForecastMode;
  /** Part of the cache key. Increase it when the same inputs give a different result. */
  readonly version?: number;
  /** Whether results are cached. Use it for nodes that take longer than a lookup and have no side effects. */
  readonly cache?: boolean | ((values: Readonly<Record<string, unknown>>, settings: NodeSettings) => boolean);
  /**
   * Whether `{{secrets.NAME}}` in the settings is replaced when the node runs. Only for nodes that send settings to
   * another host. `in requests`: the node itself inserts secrets with `ctx.secrets`, since it knows each request's host.
   */
  readonly secrets?: true | 'in requests';
  /** Limits concurrency before the node reads complete files into memory. Default: the limiter of its provider. */
  readonly limiter?: Limiter;
  /** For input nodes: returns the config keys that a value of the run's `inputs` sets. `text` is the value's exact JSON. */
  readonly runInput?: (value: Json, text: string) => JsonObject;
  run(
    values: ValuesOf<I> & ValuesOf<C> & { readonly [extra: string]: unknown },
    ctx: NodeContext,
  ): NodeResult | Promise<NodeResult>;
}

type ConfigCheck = (config: JsonObject, texts: Readonly<Record<string, string>>) => readonly ConfigWarning[];

/** A declared node with its catalog entry, without the static types of its values. */
export interface NodeDefinition {
  readonly entry: CatalogEntry;
  /** The provider and the endpoint of a model that is defined by data. */
  readonly model?: { readonly provider: string; readonly endpoint: string };
  /** Set if the node can call named servers: what they must serve. */
  readonly serverRoute?: ServerRoute;
  readonly version: number;
  readonly cache: (values: Readonly<Record<string, unknown>>, settings: NodeSettings) => boolean;
  readonly secrets: boolean | 'in requests';
  /** Returns the requirement of a node with this config. */
  requires(config: Readonly<Record<string, unknown>>): Requirement | undefined;
  readonly forecastMode: ForecastMode | undefined;
  readonly pricing: Pricing | undefined;
  readonly runInput: ((value: Json, text: string) => JsonObject) | undefined;
  ports(config: JsonObject): ResolvedPorts;
  readonly findWarnings: ConfigCheck | undefined;
  run(values: Readonly<Record<string, unknown>>, ctx: NodeContext): NodeResult | Promise<NodeResult>;
}

/** Creates a definition from a declaration. */
export function defineNode<I extends Specs, C extends Specs>(
  declaration: NodeDeclaration<I, C>,
): NodeDefinition {
  const fields = toInputDefs(declaration.config, false);
  const fixed: ResolvedPorts = {
    inputs: [...toInputDefs(declaration.inputs, true), ...fields],
    outputs: toOutputDefs(declaration.outputs),
  };
  const { dynamicPorts: dynamic, pricing, requires, cache = false } = declaration;
  return {
    entry: {
      nodeType: declaration.nodeType,
      label: declaration.label,
      category: declaration.category,
      ...(declaration.description === undefined ? {} : { description: declaration.description }),
      source: declaration.source ?? 'non-vendor',
      inputs: fixed.inputs,
      outputs: fixed.outputs,
      ...(pricing === undefined ? FREE : describePricing(pricing, readDefaults(declaration.config))),
      ...(declaration.local === undefined ? {} : { runsLocally: true, ...declaration.local }),
      ...(declaration.customNodeType === undefined ? {} : { customNodeType: declaration.customNodeType }),
      ...(dynamic === undefined ? {} : { dynamicPorts: true, dynamicPortsNote: dynamic.note }),
      ...(declaration.deprecated === undefined ? {} : { deprecated: true }),
      ...(declaration.hidden === undefined ? {} : { hidden: true }),
    },
    version: declaration.version ?? 1,
    cache: typeof cache === 'function' ? cache : () => cache,
    secrets: declaration.secrets ?? false,
    requires: typeof requires === 'function' ? requires : () => requires,
    forecastMode: declaration.forecastMode,
    pricing,
    runInput: declaration.runInput,
    ports(config) {
      if (dynamic === undefined) return fixed;
      const specs = dynamic.resolve(config);
      return {
        inputs: [...toInputDefs(specs.inputs, true), ...fields],
        outputs: toOutputDefs(specs.outputs),
        ...(specs.problem === undefined ? {} : { problem: specs.problem }),
        ...(dynamic.isSaved === undefined ? {} : { isSaved: dynamic.isSaved }),
      };
    },
    findWarnings: declaration.findWarnings,
    // Safe because the engine checks and converts every value by the specs from which `ValuesOf` is inferred.
    run: withLimiter(declaration),
  };
}

function withLimiter<I extends Specs, C extends Specs>({
  run: declaredRun,
  limiter,
  requires,
}: NodeDeclaration<I, C>): NodeDefinition['run'] {
  const run = declaredRun as NodeDefinition['run'];
  return (values, ctx) => {
    const requirement = typeof requires === 'function' ? requires(values) : requires;
    const key = ctx.slotKeys?.[requirement as CredentialKey] ?? requirement;
    const limit = limiter ?? getProviderLimiter(toProviderName(requirement ?? ''), key);
    return limit === undefined ? run(values, ctx) : limit(async () => run(values, ctx), ctx.signal);
  };
}

const readDefaults = (config: Specs): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(config).map(([id, spec]) => [id, spec.default]));

function toInputDefs(specs: Specs, isPort: boolean): InputDef[] {
  return Object.entries(specs).map(([id, { value: _, ...spec }]) => ({ id, ...spec, isPort }));
}

function toOutputDefs(specs: OutputSpecs): OutputDef[] {
  return Object.entries(specs).map(([id, spec]) => ({
    id,
    label: spec.label,
    type: spec.type,
    isPort: true,
  }));
}
