// Defines the node catalog as data: the entries of GET /nodes, and the lookup that lint, plan and layout use.
import type { Category, FieldType, Json, JsonObject, PortType } from './types.ts';

export const NODE_SOURCES = ['vendor', 'non-vendor', 'registry-shell'] as const;
export type NodeSource = (typeof NODE_SOURCES)[number];

export type PricingModel = 'free' | 'flat-usd' | 'per-second' | 'video-tokens' | 'per-image' | 'unknown';

/** An input of a node: a port (`isPort`), or a field of `data.config`. */
export interface InputDef {
  readonly id: string;
  readonly label: string;
  readonly type: FieldType;
  readonly isPort: boolean;
  /** Whether only an edge can feed the port. A config value of the same name is ignored. */
  readonly wiredOnly?: boolean;
  readonly required?: boolean;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Whether values must be integers. */
  readonly integer?: boolean;
  /** The step between valid values, counted from `min`, or from 0. */
  readonly step?: number;
  /** For a LIST: the type and number of its items. */
  readonly itemType?: PortType;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Whether an explicit null is a value that means "none", instead of the default. */
  readonly nullable?: boolean;
  /** Whether the editor shows the field on the node. A node without primary fields shows its first text field. */
  readonly isPrimary?: boolean;
  /** Whether the service or an import writes the field, so that forms do not show it. */
  readonly isInternal?: boolean;
  /** Whether the field existed only in an earlier version and no longer has an effect. Runs that set the field fail. */
  readonly removed?: boolean;
  readonly description?: string;
}

export interface OutputDef {
  readonly id: string;
  readonly label: string;
  readonly type: PortType;
  readonly isPort: boolean;
}

/** Returns whether null is a value of the field, rather than the same as no value. */
export const acceptsNull = ({ type, nullable }: InputDef): boolean => type === 'JSON' || nullable === true;

/** What models are for. The output says of which medium the result is. */
export const MODEL_TASKS = [
  'make',
  'edit',
  'upscale',
  'cutout',
  'animate',
  'talk',
  'speak',
  'compose',
  'transcribe',
  'describe',
  'write',
] as const;
export type ModelTask = (typeof MODEL_TASKS)[number];

/** One element of `nodes` in the catalog response. */
export interface CatalogEntry {
  readonly nodeType: string;
  readonly label: string;
  readonly category: Category | 'video';
  readonly description?: string;
  readonly source: NodeSource;
  readonly inputs: readonly InputDef[];
  readonly outputs: readonly OutputDef[];
  readonly executionCost: 'free' | 'paid';
  readonly pricingModel: PricingModel;
  /** The credits that a run with the default config costs. Null if the credits cannot be estimated before the run. */
  readonly estimatedCredits: number | null;
  readonly costUsd?: number;
  readonly priceSource?: string;
  /** Set for nodes that run a model or library on this machine, with where it comes from. */
  readonly runsLocally?: true;
  readonly origin?: string;
  /** Of the model or library. Set for nodes that run on this machine, and for models whose weights are published. */
  readonly license?: string;
  readonly customNodeType?: string;
  readonly dynamicPorts?: true;
  readonly dynamicPortsNote?: string;
  readonly deprecated?: true;
  readonly hidden?: true;
  /** Set if this service has no provider configured for the node type. */
  readonly isAvailable?: false;
  /** With `isAvailable` false, the provider that is missing, such as `fal`. */
  readonly provider?: string;
  /** With `isAvailable` false, why the policy of the team does not allow it. */
  readonly policyReason?: string;
  /** Set for models, and for nodes that run a model on this machine if it has one of these tasks. */
  readonly task?: ModelTask;
  /** The name of the models of which it is a version or variant, such as `Veo`. Set for models. */
  readonly family?: string;
  /** The seconds that recent calls of the model took; null if none was measured. Set in responses for models. */
  readonly medianSeconds?: number | null;
}

/** Returns whether the entry is listed by GET /models. */
export const isModel = ({ category, source }: Pick<CatalogEntry, 'category' | 'source'>): boolean =>
  category === 'model' || (category === 'video' && source === 'vendor');

/** Returns whether nodes of the type only annotate the board and never run, such as notes and groups. */
export const isCanvasOnly = (entry: CatalogEntry | undefined): boolean => entry?.source === 'registry-shell';

export type UnavailableCode = 'provider_not_configured' | 'local_nodes_off' | 'invalid_graph';

export interface ResolvedPorts {
  readonly inputs: readonly InputDef[];
  readonly outputs: readonly OutputDef[];
  /** A sentence that says why a node with this config cannot run. */
  readonly problem?: string | undefined;
  /** The provider that a node with this config calls, or its server, as `openai/name`. */
  readonly provider?: string | undefined;
  /** A sentence that says what this service lacks to run the node, such as a configured provider. */
  readonly unavailableReason?: string | undefined;
  /** The code of the error with which a run is refused for this reason. */
  readonly unavailableCode?: UnavailableCode | undefined;
  /** Whether the ports are written into the node when its workflow is saved. */
  readonly isSaved?: boolean | undefined;
}

/** What would go wrong in a run. `path` is relative to the config. */
export interface ConfigWarning {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The node types, as lint, plan and layout use them. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  find(nodeType: string): CatalogEntry | undefined;
  /** Returns the ports of a node with this config: those of the entry, or ports derived from the config. */
  ports(nodeType: string, config: JsonObject): ResolvedPorts;
  /** Finds what would go wrong in a run with this config and these texts of connected ports. */
  findWarnings?(
    nodeType: string,
    config: JsonObject,
    texts: Readonly<Record<string, string>>,
  ): readonly ConfigWarning[];
}

/** Returns whether an output of one type may feed an input of another. */
export function canFeed(from: FieldType, to: FieldType): boolean {
  if (from === to || from === 'ANY' || to === 'ANY' || from === 'LIST' || to === 'LIST') return true;
  if (to === 'JSON') return true;
  if (to === 'BOOLEAN') return from === 'JSON';
  return to === 'TEXT' && (from === 'NUMBER' || from === 'JSON');
}
