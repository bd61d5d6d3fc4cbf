// The node catalog as data: the entry that GET /nodes shows, and the look-up that lint, plan and layout take.
import type { Category, Json, JsonObject, PortType } from './types.ts';

export const NODE_SOURCES = ['vendor', 'non-vendor', 'registry-shell'] as const;
export type NodeSource = (typeof NODE_SOURCES)[number];

export type PricingModel = 'free' | 'flat-usd' | 'per-second' | 'video-tokens' | 'per-image' | 'unknown';

/** An input of a node: a port that is wired (`isPort`), or a field of `data.config`. */
export interface InputDef {
  readonly id: string;
  readonly label: string;
  readonly type: PortType;
  readonly isPort: boolean;
  /** A port that an edge alone fills, never a setting of its name. */
  readonly wiredOnly?: boolean;
  readonly required?: boolean;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly description?: string;
}

export interface OutputDef {
  readonly id: string;
  readonly label: string;
  readonly type: PortType;
  readonly isPort: boolean;
}

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
  /** Credits charged by a default-config run; null: paid, but not statically estimable. */
  readonly estimatedCredits: number | null;
  readonly costUsd?: number;
  readonly priceSource?: string;
  readonly customNodeType?: string;
  readonly dynamicPorts?: true;
  readonly dynamicPortsNote?: string;
  readonly deprecated?: true;
  readonly hidden?: true;
}

export interface ResolvedPorts {
  readonly inputs: readonly InputDef[];
  readonly outputs: readonly OutputDef[];
  /** Why a node with this config cannot run, as a sentence. */
  readonly problem?: string | undefined;
  /** Whether they are written into the node when its workflow is saved. */
  readonly isSaved?: boolean | undefined;
}

/** What lint, plan and layout need to know of the node types. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  find(nodeType: string): CatalogEntry | undefined;
  /** The real ports of a node with this config: the entry's own, or those its config gives rise to. */
  ports(nodeType: string, config: JsonObject): ResolvedPorts;
}

/** Whether an output of one type may feed an input of another (decisions.md §6). */
export function canJoin(from: PortType, to: PortType): boolean {
  if (from === to || from === 'ANY' || to === 'ANY' || from === 'LIST' || to === 'LIST') return true;
  if (to === 'JSON') return true;
  return to === 'TEXT' && (from === 'NUMBER' || from === 'JSON');
}
