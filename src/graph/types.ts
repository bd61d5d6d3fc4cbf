// The graph as clients write it and as the service keeps it: plain, frozen data.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The types a port can have. LIST and ANY ports take a list as one value; every other port is mapped over one. */
export const PORT_TYPES = ['TEXT', 'NUMBER', 'JSON', 'IMAGE', 'VIDEO', 'AUDIO', 'LIST', 'ANY'] as const;
export type PortType = (typeof PORT_TYPES)[number];

/** The types a field of `data.config` can have: those of ports, and what travels along no edge. */
export const FIELD_TYPES = [...PORT_TYPES, 'BOOLEAN'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const CATEGORIES = ['model', 'input', 'utility', 'output', 'logic'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Port {
  readonly id: string;
  readonly label: string;
  readonly type: string;
}

export interface Position {
  readonly x: number;
  readonly y: number;
}

export interface Dims {
  readonly width: number;
  readonly height: number;
  readonly source: 'measured' | 'declared' | 'estimated';
}

export interface NodeData {
  readonly label: string;
  readonly category: string;
  readonly nodeType: string;
  readonly config?: JsonObject;
  readonly params?: JsonObject;
  readonly inputs?: readonly Port[];
  readonly outputs?: readonly Port[];
  readonly [key: string]: unknown;
}

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly position: Position;
  readonly data: NodeData;
  readonly dims?: Dims;
  readonly [key: string]: unknown;
}

export interface GraphEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle?: string | null;
  readonly targetHandle?: string | null;
  readonly [key: string]: unknown;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A media file as it travels between nodes: by reference, never by bytes. */
export interface MediaRef {
  readonly mediaId: string;
  readonly url: string;
  readonly contentType: string;
  /** Hex SHA-256 of the bytes; the node cache keys on it, never on the address. */
  readonly sha256: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  /** Of a video that was rendered here. */
  readonly render?: RenderFacts;
}

export interface RenderFacts {
  readonly posterId: string;
  readonly posterUrl: string;
  readonly fps: number;
  readonly frameCount: number;
  /** Which codecs made the file. */
  readonly backend: string;
  /** What could not be drawn or heard, by JSON pointer. */
  readonly warnings: readonly string[];
}

/** What flows along an edge. Tagged, so that a JSON array is never taken for a list. */
export type Value =
  | { readonly type: 'TEXT'; readonly text: string }
  | { readonly type: 'NUMBER'; readonly number: number }
  /** `exactText`: its JSON text as it was sent, if JSON.stringify would write another: a long number, keys in another order. */
  | { readonly type: 'JSON'; readonly json: Json; readonly exactText?: string }
  | { readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO'; readonly media: MediaRef }
  | { readonly type: 'LIST'; readonly items: readonly Value[] };

/** Output port id → value. A port without a value is absent. */
export type Values = Readonly<Record<string, Value>>;

/** An object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object; an empty one in place of anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
