// Declares nodes: ports and fields with their types, and the function that runs the node. The catalog entry is derived
// from the declaration, so an entry without an implementation cannot exist.
import type { CatalogEntry, InputDef, NodeSource, OutputDef, ResolvedPorts } from '../graph/catalog.ts';
import type { Category, FieldType, Json, JsonObject, MediaRef, PortType, Value } from '../graph/types.ts';
import type { Gate } from '../lib/gate.ts';
import { PROVIDER_LIMITERS, type ProviderName } from '../providers/names.ts';
import type { ProviderTask } from '../providers/provider.ts';
import type { ProviderResponse } from '../providers/response.ts';
import type { ProviderSlots } from '../providers/run-call.ts';
import type { PartStore, ReadSource } from '../render/render-io.ts';
import { describePricing, FREE, type Pricing } from './models/pricing.ts';
import type { Providers } from './models/providers.ts';

/** A port or field: its catalog data, and in `T` the TypeScript type of its value inside `run`. */
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

const specOf =
  <T>(type: PortType) =>
  <const O extends SpecOptions>(label: string, options?: O): Spec<Present<T, O>> => ({
    type,
    label,
    ...options,
  });
export const text = specOf<string>('TEXT');
export const number = specOf<number>('NUMBER');
export const json = specOf<Json>('JSON');
export const image = specOf<MediaRef>('IMAGE');
export const video = specOf<MediaRef>('VIDEO');
export const audio = specOf<MediaRef>('AUDIO');
/** A whole list: the node is not mapped over it. */
export const list = specOf<readonly Value[]>('LIST');
/** Any value, tagged, as it came. */
export const any = specOf<Value>('ANY');
/** A port for each name, derived from a config. */
export const portsNamed = (names: readonly string[], make: (name: string) => Spec<unknown> = any) =>
  Object.fromEntries(names.map(name => [name, make(name)]));

/** A config field with a closed set of values; the first is the default. */
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

/** What a node may do outside of its inputs and outputs. */
export interface NodeContext {
  readonly executionId: string;
  readonly nodeId: string;
  /** Whose run it is: work of one account in shared threads waits for its turn. */
  readonly account: string;
  /**
   * Aborted when the run is cancelled, times out, or this worker loses its lease. Pass it to every await inside `run`.
   * Its reason is `cancelled` or `timeout` if the run ends; for any other reason another worker continues.
   */
  readonly signal: AbortSignal;
  readonly media: NodeMedia;
  /** Partial results of this node that an earlier worker stored, and that this one stores. */
  openParts(): NodeParts;
  /** The guarded outbound client for addresses that users supply. */
  fetch(url: string, init?: NodeFetchInit): Promise<NodeFetchResponse>;
  /** The same for provider calls: addresses that the operator configured may be private. */
  providerFetch: NodeContext['fetch'];
  /** 0 to 1; may be called at any rate. */
  progress(fraction: number): void;
  /** Set when the node was suspended before and now runs again. */
  readonly suspended?: { readonly sinceMs: number; readonly untilMs: number; readonly decision?: Json };
  now(): number;
  /** For nodes that put secrets into their requests themselves; absent where the graph names none. */
  readonly secrets?: RunSecrets & {
    /** Ports whose values came along edges: what others wrote there never gets to see a secret. */
    readonly wired: { has(port: string): boolean };
  };
  /** The providers that the operator has configured. */
  readonly providers: Providers;
  /** The URL that a provider calls when its task ends; undefined if it cannot reach us. */
  readonly hookUrl?: (provider: ProviderName, token: string) => string | undefined;
  /** The record of this provider task, which outlives the worker. */
  readonly task: {
    readonly stored?: ProviderTask;
    /**
     * Resolves once the record is durable. Rejects if the run no longer belongs to this worker: the call must then
     * stop.
     */
    keep(task: ProviderTask): Promise<void>;
    /** Whether the event that the call waited for has occurred: its end at the provider, or a free slot there. */
    readonly hasEnded?: boolean;
    /** Absent: the provider always has a free slot. */
    readonly slots?: ProviderSlots;
    /** Reports that the call costs even if the run ends from now on. */
    markBillable?(): void;
    /** Reports usage measured by the provider, from which the price may be computed. */
    use(usage: unknown): void;
    /** Reports a deviation from the request as a sentence, shown in the node's state. */
    warn(sentence: string): void;
  };
}

/** The secrets of a run's workflow. */
export interface RunSecrets {
  /**
   * The setting with a value in place of each `{{secrets.NAME}}` in its strings, by default that of the secret. Throws
   * NodeError for a name that the workflow has no secret for.
   */
  replace(setting: unknown, valueFor?: (name: string) => string): unknown;
  /** The secret's value, for a request to the address. Throws NodeError where it may not be sent there by this run. */
  valueFor(name: string, first: URL): string;
  /** Whether a request with these secrets that was sent to `first` may be sent on to `next`. */
  mayCarry(names: readonly string[], first: URL, next: URL): boolean;
  /** The words without any of the secrets, in whatever case of letters and usual encoding. */
  scrub(words: string): string;
  /** The data without these secrets as they were sent. */
  conceal(data: string, names: readonly string[]): string;
}

export interface NodeMedia {
  /** Stores the bytes as an output of this run. The given size and duration are used if they cannot be read. */
  put(source: Uint8Array | AsyncIterable<Uint8Array>, file: OutputFile): Promise<MediaRef>;
  /** The bytes of a media file, at most `maxBytes` (default 100 MB). */
  read(ref: MediaRef, maxBytes?: number): Promise<Buffer>;
  /** The bytes of a raster image: an SVG is rasterized to PNG. */
  readRaster(ref: MediaRef): Promise<{ readonly bytes: Buffer; readonly contentType: string }>;
  /** The media with this id or URL: our own are looked up, external ones are fetched and stored. */
  resolve(
    source: { readonly mediaId?: string | undefined; readonly url?: string | undefined },
    kind: 'image' | 'video' | 'audio',
  ): Promise<MediaRef>;
  /** Opens any file that a scene refers to; nothing is stored. */
  readonly open: ReadSource;
}

export interface OutputFile {
  readonly contentType: string;
  readonly name: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
}

/** Parts of a long result that outlive the worker, for at most a day. */
export interface NodeParts extends PartStore {
  /** Removes all of them. */
  drop(): Promise<void>;
}

export interface NodeFetchInit {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Used instead of the run's signal, for requests after that has fired. */
  readonly signal?: AbortSignal;
  /** Whether a redirect may take the request there as it is. */
  readonly mayCarry?: (next: URL) => boolean;
}

export type NodeFetchResponse = ProviderResponse;

/**
 * Returned by a node that waits without a worker: for a time, for a person's decision until a deadline, or for a
 * provider task. Nodes that call a provider deep inside throw it.
 */
export class Suspend {
  readonly kind: 'time' | 'decision' | 'call';
  readonly untilMs: number;
  constructor(kind: 'time' | 'decision' | 'call', untilMs: number) {
    this.kind = kind;
    this.untilMs = untilMs;
  }
}

/** A failure caused by the graph or its input, shown to the caller unchanged. `code` is snake_case. */
export class NodeError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NodeError';
    this.code = code;
  }
}

// A TEXT output is a string, NUMBER a number, JSON any JSON, IMAGE/VIDEO/AUDIO a MediaRef; ANY and LIST are tagged
// values. A tagged value is always used unchanged. undefined: the port has no value.
export type NodeOutput = string | number | Json | MediaRef | Value | readonly Value[] | undefined;
export type NodeResult = Readonly<Record<string, NodeOutput>> | Suspend;

/** What must be enabled for an entry to be shown; catalog.ts maps it to settings. */
export type Requirement = 'sandbox' | 'codec' | 'sandbox-video' | 'speech-command' | ProviderName;

/**
 * Nodes whose result an estimate can compute before the run: `by-value` from known inputs; `by-shape` also from inputs
 * of which only the number is known, since the node only passes them on. Such a node uses nothing of its context but
 * `media.resolve` and `progress`.
 */
export type Foreseeable = 'by-value' | 'by-shape';

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
    /** Whether saving a workflow writes them into the node. */
    readonly isSaved?: true;
    /** `problem`: why a node with this config cannot run. */
    resolve(config: JsonObject): {
      readonly inputs: Specs;
      readonly outputs: OutputSpecs;
      readonly problem?: string | undefined;
    };
  };
  /** Absent if a call costs nothing. */
  readonly pricing?: Pricing;
  readonly deprecated?: true;
  readonly hidden?: true;
  /** The entry is hidden if the default config's requirement is not met; existing graphs may still contain the node. */
  readonly requires?: Requirement | ((config: Readonly<Record<string, unknown>>) => Requirement);
  readonly foreseeable?: Foreseeable;
  /** Increase when the same inputs give a different result; part of the cache key. */
  readonly version?: number;
  /** Whether results are cached: true if running costs more than a lookup. Off for nodes with side effects or waits. */
  readonly cache?: boolean | ((values: Readonly<Record<string, unknown>>) => boolean);
  /**
   * Whether `{{secrets.NAME}}` in its settings is replaced when it runs: only for nodes that send it to somebody. `in
   * requests`: the node does it itself, by `ctx.secrets`, since it knows to whom each goes.
   */
  readonly secrets?: true | 'in requests';
  /** Limits concurrency before the node reads complete files into memory. Default: the limiter of its provider. */
  readonly limiter?: Gate;
  /** Input nodes: a run's `inputs` value, and its JSON text as sent → the config keys it sets. */
  readonly runInput?: (value: Json, text: string) => JsonObject;
  run(
    values: ValuesOf<I> & ValuesOf<C> & { readonly [extra: string]: unknown },
    ctx: NodeContext,
  ): NodeResult | Promise<NodeResult>;
}

/** A declaration with its types erased, ready for the engine, with its catalog entry. */
export interface NodeDefinition {
  readonly entry: CatalogEntry;
  readonly version: number;
  readonly cache: (values: Readonly<Record<string, unknown>>) => boolean;
  readonly secrets: boolean | 'in requests';
  /** What a node with this config requires from the service. */
  requires(config: Readonly<Record<string, unknown>>): Requirement | undefined;
  readonly foreseeable: Foreseeable | undefined;
  readonly pricing: Pricing | undefined;
  readonly runInput: ((value: Json, text: string) => JsonObject) | undefined;
  ports(config: JsonObject): ResolvedPorts;
  run(values: Readonly<Record<string, unknown>>, ctx: NodeContext): NodeResult | Promise<NodeResult>;
}

/** Turns a declaration into a definition; the only way to create one. */
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
      ...(pricing === undefined ? FREE : describePricing(pricing, defaultsOf(declaration.config))),
      ...(declaration.customNodeType === undefined ? {} : { customNodeType: declaration.customNodeType }),
      ...(dynamic === undefined ? {} : { dynamicPorts: true, dynamicPortsNote: dynamic.note }),
      ...(declaration.deprecated === undefined ? {} : { deprecated: true }),
      ...(declaration.hidden === undefined ? {} : { hidden: true }),
    },
    version: declaration.version ?? 1,
    cache: typeof cache === 'function' ? cache : () => cache,
    secrets: declaration.secrets ?? false,
    requires: typeof requires === 'function' ? requires : () => requires,
    foreseeable: declaration.foreseeable,
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
    // The engine checks and converts every value by the same specs from which `ValuesOf` is inferred.
    run: withLimiter(declaration),
  };
}

function withLimiter<I extends Specs, C extends Specs>({
  run: given,
  limiter,
  requires,
}: NodeDeclaration<I, C>): NodeDefinition['run'] {
  const run = given as NodeDefinition['run'];
  return (values, ctx) => {
    const required = typeof requires === 'function' ? requires(values) : requires;
    const gate = limiter ?? PROVIDER_LIMITERS[required ?? ''];
    return gate === undefined ? run(values, ctx) : gate(async () => run(values, ctx), ctx.signal);
  };
}

const defaultsOf = (config: Specs): Readonly<Record<string, unknown>> =>
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
